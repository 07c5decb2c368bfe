package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// The types of providers.
const (
	TypeOllama = "ollama"
	TypeOpenAI = "openai" // any server that speaks OpenAI's chat completions
	TypeDemo   = "demo"   // the built-in model, without a server
)

// Provider is where models live: a [providers.NAME] table, or one of the built-in ones, which are called like their type.
type Provider struct {
	Name      string
	Type      string
	Address   string            // of its server, a whole URL; "": for Ollama the one of Config.Host, for the demo none
	APIKeyEnv string            // the name of the variable that holds the key; "": none
	Key       string            // what that holds; "" also when it is not set, which is a mistake only for the provider in use
	Headers   map[string]string // http_headers and env_http_headers, resolved
	CAFile    string            // PEM file of certificates to trust besides the system's
	Model     string            // "": the one of Config.Model
	Context   int               // in tokens; 0: the one of Config.Context
	Secrets   []string          // values that must be masked wherever they would be shown, the longest first
}

// Chosen is the provider that Config.Provider names, with the address, model and context that are in force.
func (c *Config) Chosen() Provider { return c.chosen }

// builtinProviders need no table.
func builtinProviders() []string { return []string{TypeOllama, TypeOpenAI, TypeDemo} }

// providerNames are the words that choose a provider.
func providerNames(file *document) []string {
	tables, _ := file.values["providers"].(map[string]any)
	return append(builtinProviders(), slices.Sorted(maps.Keys(tables))...)
}

// providerTable reads one [providers.NAME], or those keys at the top of the file that are for the provider "openai".
type providerTable struct {
	resolving
	provider Provider
}

// providers reads [providers]: the built-in "openai" first, then the tables in the order of the file.
func (l *loader) providers() []*providerTable {
	top := &providerTable{resolving{table: l.top}, Provider{Name: TypeOpenAI, Type: TypeOpenAI}}
	top.openAI()
	top.provider.Secrets = secret.LongestFirst(top.secrets)
	read := []*providerTable{top}
	all := l.table("providers")
	for _, name := range all.inOrder() {
		t := &providerTable{resolving{table: l.table("providers", name)}, Provider{Name: name, Type: TypeOpenAI}}
		if t.values == nil {
			continue // not a table, as has been noted
		}
		if slices.Contains(builtinProviders(), name) {
			l.mistake(all.key(name), "the provider %q is built in; set its keys at the top of the file, or choose another name", name)
		} else if !serverName(name) {
			l.mistake(all.key(name), "the provider's name %q "+nameRule, name)
		}
		t.keys()
		read = append(read, t)
		l.config.Providers = append(l.config.Providers, t.provider)
	}
	return read
}

// keys reads a whole [providers.NAME].
func (t *providerTable) keys() {
	p := &t.provider
	t.choice("type", &p.Type, TypeOpenAI, TypeOllama)
	t.text("model", &p.Model)
	if t.asked = append(t.asked, "context"); t.has("context") {
		t.wholeOrAuto("context", &p.Context, contextSpan, 0)
	}
	if p.Type == TypeOllama {
		t.refuse(`is for a provider of type "openai"; this one has type "ollama"`,
			"base_url", "api_key_env", "ca_file", "http_headers", "env_http_headers")
		t.address("host", hostURL)
	} else {
		t.refuse(`is for a provider of type "ollama"; this one has a "base_url"`, "host")
		t.openAI()
		if !t.has("base_url") {
			t.loader.mistake(t.path, `the provider %q has no "base_url"; write one like %q`, p.Name, exampleBaseURL)
		}
		t.text("ca_file", &p.CAFile)
		p.CAFile = t.home(t.expanded(p.CAFile, "ca_file"))
		p.Headers = t.headers()
	}
	p.Secrets = secret.LongestFirst(t.secrets)
}

// openAI reads what the provider "openai" and the tables of its type have in common.
func (t *providerTable) openAI() {
	p := &t.provider
	t.address("base_url", baseURL)
	if len(t.path) == 0 {
		t.shows("api_key_env", func() any { return t.loader.config.APIKeyEnv })
	}
	if t.text("api_key_env", &p.APIKeyEnv) {
		p.Key = strings.TrimSpace(t.variable(p.APIKeyEnv, "api_key_env"))
		t.hide(secret.Of("key", p.Key))
	}
}

// address reads where the server is.
func (t *providerTable) address(key string, parse func(string) (string, error)) {
	t.shows(key, func() any {
		if len(t.path) == 0 {
			return t.loader.config.BaseURL
		}
		return t.provider.Address
	})
	text, ok := value[string](t.table, key, "a string")
	if !ok {
		return
	}
	resolved := len(t.unset)
	if text = t.expanded(text, key); len(t.unset) > resolved {
		return
	}
	address, err := parse(text)
	if err != nil {
		t.mistake(key, "%v", err)
		return
	}
	t.provider.Address = address
	t.hide(secret.Of("", address))
}

// choose finds the provider by its name. Its table wins over the top of the file, and --host over both.
func (l *loader) choose(providers []*providerTable, host *string) {
	c := l.config
	c.chosen = Provider{Name: c.Provider, Type: c.Provider}
	for _, t := range providers {
		if t.provider.Name == c.Provider {
			c.chosen = t.provider
			l.mistakes = append(l.mistakes, t.unset...)
			l.use(t)
		}
	}
	if host != nil {
		l.hostFlag(*host)
	}
	p := &c.chosen
	p.Model, p.Context = c.Model, c.Context
	switch p.Type {
	case TypeOllama:
		p.Address = c.Host
	case TypeOpenAI:
		p.Address = c.BaseURL
		if p.Name == TypeOpenAI && p.Address == "" && host == nil {
			l.mistakes = append(l.mistakes, &Error{File: c.Path, Key: "base_url", Text: fmt.Sprintf(
				`the provider "openai" needs the address of its server; write base_url = %q at the top`, exampleBaseURL)})
		}
	}
}

// use puts what the table of the chosen provider sets in force.
func (l *loader) use(t *providerTable) {
	c, p := l.config, t.provider
	take := func(key, from string) { c.origins[key] = c.Origin(dotted(t.key(from))) }
	switch {
	case p.Address == "":
	case p.Type == TypeOllama:
		c.Host = p.Address
		take("host", "host")
	default:
		c.BaseURL = p.Address
		take("base_url", "base_url")
	}
	if p.APIKeyEnv != "" {
		c.APIKeyEnv = p.APIKeyEnv
		take("api_key_env", "api_key_env")
	}
	if from := c.Origin("model"); p.Model != "" && !strings.HasPrefix(from, "flag ") && !strings.HasPrefix(from, "environment ") {
		c.Model = p.Model
		take("model", "model")
	}
	if t.has("context") {
		c.Context = p.Context
		take("context", "context")
	}
}

// hostFlag reads --host for a provider of the chosen type.
func (l *loader) hostFlag(address string) {
	l.doc = &document{source: "flag", values: map[string]any{"host": address, "base_url": address},
		names: map[string]string{"host": "--host", "base_url": "--host"}}
	t := l.table()
	switch l.config.chosen.Type {
	case TypeOllama:
		t.address("host", hostURL, &l.config.Host)
	case TypeOpenAI:
		t.address("base_url", baseURL, &l.config.BaseURL)
	}
}
