package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/secret"
)

// The types of providers.
const (
	TypeOllama = "ollama"
	TypeOpenAI = "openai" // any server that speaks OpenAI's chat completions
	TypeDemo   = "demo"   // the built-in model, without a server
)

// exampleBaseURL is the default of most OpenAI-compatible servers.
const exampleBaseURL = "http://127.0.0.1:8000/v1"

// Provider is a place where models run: a [providers.NAME] table, or a built-in one, whose name is its type.
type Provider struct {
	Name       string
	Type       string            `key:"type" of:"openai ollama"`
	Host       string            `key:"host" for:"ollama" is:"host"`
	BaseURL    string            `key:"base_url" for:"openai" is:"base"`
	APIKeyEnv  string            `key:"api_key_env" for:"openai" is:"variable"`
	Headers    map[string]string `key:"http_headers" for:"openai"` // after loading, with EnvHeaders
	EnvHeaders map[string]string `key:"env_http_headers" for:"openai" is:"variable"`
	CAFile     string            `key:"ca_file" for:"openai" is:"path"` // PEM, trusted in addition to the system's
	Model      string            `key:"model"`
	Context    int               `key:"context" span:"512 16777216" or:"auto=0"`

	Key     string   // the value of APIKeyEnv, may be ""
	Secrets []string // values to mask, the longest first
}

// Address returns the URL of the model server, or "" for the demo.
func (p Provider) Address() string { return p.Host + p.BaseURL }

// Chosen returns the provider that Config.Provider names, with the address, model and context in use.
func (c *Config) Chosen() Provider { return c.chosen }

// builtinProviders need no table.
func builtinProviders() []string { return []string{TypeOllama, TypeOpenAI, TypeDemo} }

// providerTable is a provider with its table. For the built-in providers that is the top level.
type providerTable struct {
	*table
	Provider
}

// providers reads the provider "openai" from the top level, and [providers].
func (t *table) providers(names []string) []providerTable {
	top := Provider{Name: TypeOpenAI, Type: TypeOpenAI, BaseURL: t.config.BaseURL, APIKeyEnv: t.config.APIKeyEnv}
	t.mistakes, t.unset = append(t.mistakes, t.unset...), nil // the addresses at the top level must be valid in any case
	t.resolve(&top)
	t.config.secrets = top.Secrets
	all := []providerTable{{t, top}}
	for _, inner := range t.tables("providers", names) {
		name := inner.name()
		inner.checkName()
		if slices.Contains(builtinProviders(), name) {
			t.mistake(inner.path, "provider %q is built in. Set its keys at the top of the file, or use another name", name)
		}
		p := Provider{Name: name, Type: TypeOpenAI}
		inner.fill(&p)
		inner.refuse(&p, p.Type)
		if p.Type == TypeOpenAI && !inner.has("base_url") {
			t.mistake(inner.path, `provider %q needs a "base_url" like %q`, name, exampleBaseURL)
		}
		inner.resolve(&p)
		all = append(all, providerTable{inner, p})
		t.config.Providers = append(t.config.Providers, p)
	}
	return all
}

// resolve reads the key and headers from the environment.
func (t *table) resolve(p *Provider) {
	if p.APIKeyEnv != "" {
		p.Key = strings.TrimSpace(t.variable(p.APIKeyEnv, "api_key_env"))
		t.hide(secret.Of("key", p.Key))
	}
	p.Headers, p.EnvHeaders = t.headers(p.Headers, p.EnvHeaders), nil
	p.Secrets = secret.LongestFirst(t.secrets)
}

// choose sets Config.chosen. The keys of its table win over the top level.
func (r *reader) choose(all []providerTable) {
	c := r.config
	p := Provider{Name: c.Provider, Type: c.Provider}
	for _, t := range all {
		if t.Name != c.Provider {
			continue
		}
		p = t.Provider
		r.mistakes = append(r.mistakes, t.unset...)
		if len(t.path) > 0 {
			r.use(t)
		}
	}
	p.Model, p.Context, p.Host, p.BaseURL = c.Model, c.Context, "", ""
	switch p.Type {
	case TypeOllama:
		p.Host = c.Host
	case TypeOpenAI:
		if p.BaseURL = c.BaseURL; c.Origin("base_url") == "default" && p.Name == TypeOpenAI {
			r.mistakes = append(r.mistakes, &Error{File: c.Path, Text: fmt.Sprintf(
				`provider "openai" needs a base_url. Add base_url = %q to the top of the file`, exampleBaseURL)})
		}
	}
	c.chosen = p
}

// use copies the keys of the chosen provider's table to the Config. Flags and ALOUD_MODEL win over the table,
// OLLAMA_HOST does not.
func (r *reader) use(t providerTable) {
	c := r.config
	if t.has("model") {
		c.FileModel = t.Model
	}
	own := map[string]reflect.Value{}
	for f := range fields(&t.Provider) {
		own[f.key] = f.value
	}
	for f := range fields(c) {
		from := c.Origin(f.key)
		if t.has(f.key) && !strings.HasPrefix(from, "flag ") && from != "environment ALOUD_MODEL" {
			f.value.Set(own[f.key])
			c.origins[f.key] = c.origins[dotted(t.at(f.key))]
		}
	}
}
