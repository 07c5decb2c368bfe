// Package config turns flags, environment and the TOML file into one value, and changes the file. Only cli imports it,
// and the package below it.
//
// A flag wins over the environment, the environment over the file, the file over the default; every value remembers
// where it came from (Show). The file is read strictly: unknown keys, wrong types and values out of range are errors
// that name file, line, column and key.
package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Config has all settings, with defaults filled in. The tags of its fields, and of the structs in it, are the table of
// all keys. Reading, the environment, the flags, Show and the tables that aloud writes all use them:
//
//	key        the name in the file
//	env, flag  the variable and the flag that win over the file
//	of         the words that it may be
//	span       the least and the most that it may be
//	or         a word for a number: "auto=0"
//	is         what a text is: a host, a base URL, a path, a protocol, a word, globs, or variable: the name of the variable that has the value
//	for        the kinds of servers or providers that have the key
type Config struct {
	Path string // of the file, whether it exists or not

	Model        string `key:"model" env:"ALOUD_MODEL" flag:"model"`          // "": the one used last, or the first with tools
	Host         string `key:"host" env:"OLLAMA_HOST" flag:"host" is:"host"`  // of the Ollama server in use, a whole URL
	Provider     string `key:"provider" env:"ALOUD_PROVIDER" flag:"provider"` // a type, or the name of one of Providers
	BaseURL      string `key:"base_url" flag:"host" is:"base"`                // of the OpenAI-compatible server in use; "": none
	APIKeyEnv    string `key:"api_key_env" is:"variable"`                     // the variable that holds its key; "": it takes none
	System       string `key:"system" flag:"system"`
	SystemPrompt string `key:"system_prompt" of:"default none"` // "none" leaves aloud's own out
	Think        string `key:"think" flag:"think" of:"auto on off"`
	Context      int    `key:"context" span:"512 16777216" or:"auto=0"` // num_ctx in tokens; 0: auto

	Limits   Limits   `key:"limits"`
	Status   Status   `key:"status"`
	Approval Approval `key:"approval"`

	Providers []Provider `key:"providers"`   // in the order of the file
	Servers   []Server   `key:"mcp_servers"` // built-in ones that no table configures first, then in the order of the file

	chosen  Provider          // what Provider names
	secrets []string          // of the top of the file
	origins map[string]string // dotted key → "flag --model", "file config.toml:3"; a missing one is a default
}

// Limits bound the work of one turn.
type Limits struct {
	Iterations        int           `key:"iterations" flag:"max-iterations" span:"1 1000"`
	ConsecutiveErrors int           `key:"consecutive_errors" flag:"max-errors" span:"1 100"`
	TotalTime         time.Duration `key:"total_time" flag:"max-time" span:"1s 24h"`
	ToolTime          time.Duration `key:"tool_time" span:"100ms 24h"`       // the default of Server.ToolTimeout
	Silence           time.Duration `key:"silence" span:"5s 1h"`             // in a reply, before it counts as stalled
	ThinkingTokens    int           `key:"thinking_tokens" span:"0 1000000"` // of one reply; 0: no limit
}

// Status says how the status line looks, and where else aloud says how a turn stands.
type Status struct {
	Style  string `key:"style" of:"sentence name"` // of a running tool
	Model  string `key:"model"`                    // writes the sentences; "": the chat's own
	Motion string `key:"motion" of:"full reduced none"`
	Title  bool   `key:"title"`  // in the title of the terminal's window
	Notify bool   `key:"notify"` // in a notification, while the window has no focus
}

// Approval says which tool calls run without asking. Patterns are globs over "server.tool".
type Approval struct {
	Mode  string   `key:"mode" of:"auto ask all"`
	Allow []string `key:"allow" is:"globs"`
	Deny  []string `key:"deny" is:"globs"`
}

// defaults is the configuration without flags, environment and file.
func defaults() *Config {
	return &Config{
		Host:         "http://127.0.0.1:11434",
		Provider:     TypeOllama,
		SystemPrompt: "default",
		Think:        "auto",
		Limits: Limits{
			Iterations:        10,
			ConsecutiveErrors: 3,
			TotalTime:         10 * time.Minute,
			ToolTime:          time.Minute,
			Silence:           time.Minute,
		},
		Status:   Status{Style: "sentence", Motion: "full", Title: true, Notify: true},
		Approval: Approval{Mode: "auto"},
		origins:  map[string]string{},
	}
}

// Secrets are all values that must be masked wherever they would be shown, the longest first.
func (c *Config) Secrets() []string {
	all := slices.Concat(secret.Of("", c.Host), secret.Of("", c.BaseURL), c.chosen.Secrets, c.secrets)
	for _, s := range c.Servers {
		all = append(all, s.Secrets...)
	}
	for _, p := range c.Providers {
		all = append(all, p.Secrets...)
	}
	return secret.LongestFirst(all)
}

// Mask hides the secrets in a text.
func (c *Config) Mask(text string) string { return secret.Hide(c.Secrets(), nil).Text(text) }

// Origin is where the value of a dotted key ("limits.iterations") came from:
// "flag --max-iterations", "environment ALOUD_MODEL", "file config.toml:3" or "default".
func (c *Config) Origin(key string) string {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return "default"
}

// Allowed is a line that warns of calls of a server that run without asking: the patterns may be meant for an earlier
// server of that name. It is "" if there are no such patterns.
func (c *Config) Allowed(server string) string {
	var patterns []string
	for _, pattern := range c.Approval.Allow {
		literal := pattern[:strings.IndexAny(pattern+"*", `*?\`)]
		isGlob := literal != pattern
		if strings.HasPrefix(literal, server+".") || isGlob && strings.HasPrefix(server+".", literal) {
			patterns = append(patterns, fmt.Sprintf("%q", pattern))
		}
	}
	if patterns == nil {
		return ""
	}
	return fmt.Sprintf("Calls of %s that run without asking, by allow in [approval]: %s\n", sanitize.Line(server), strings.Join(patterns, ", "))
}
