// Package config combines flags, environment variables and the TOML file into one Config. It also edits the file.
//
// Flags win over the environment, the environment over the file, the file over the defaults. [Config.Origin] returns
// where a value came from. Unknown keys, wrong types and values out of range are errors with the file, line, column and
// key.
package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/internal/theme"
)

// Config has all settings, with defaults filled in. The tags of its fields, and of the structs in it, define the keys
// of the file:
//
//	key        name in the file
//	env, flag  environment variable and flag that win over the file
//	of         allowed words
//	span       lowest and highest value
//	or         a word and the number it stands for: "auto=0"
//	is         what a string means: a host, a base URL, a web address, a path, a protocol, a word, globs, a theme,
//	           or variable: the name of the environment variable with the value
//	for        kinds of servers or providers that may have the key
type Config struct {
	Path      string // of the file, even if it does not exist
	FileModel string // "model" in the file, even if a flag or ALOUD_MODEL names another; "" for none

	// "" for the model used last, or else the first that can use tools.
	Model        string `key:"model" env:"ALOUD_MODEL" flag:"model"`
	Host         string `key:"host" env:"OLLAMA_HOST" flag:"host" is:"host"`  // URL of the Ollama server
	Provider     string `key:"provider" env:"ALOUD_PROVIDER" flag:"provider"` // a type, or a name in Providers
	BaseURL      string `key:"base_url" flag:"host" is:"base"`                // URL of the OpenAI-compatible server, or ""
	APIKeyEnv    string `key:"api_key_env" is:"variable"`                     // "" for no key
	System       string `key:"system" flag:"system"`                          // added to aloud's own prompt
	SystemPrompt string `key:"system_prompt" of:"default none"`               // "none" leaves aloud's out
	// "auto" is the model's default.
	Think   string `key:"think" flag:"think" of:"auto on off low medium high"`
	Context int    `key:"context" span:"512 16777216" or:"auto=0"` // num_ctx in tokens, 0 for auto

	Limits   Limits   `key:"limits"`
	Status   Status   `key:"status"`
	Approval Approval `key:"approval"`
	UI       UI       `key:"ui"`

	Theme *theme.Theme // that UI names; nil for "auto"

	Keys map[string][]string `key:"keys"` // of the chat, by action

	Providers []Provider `key:"providers"`   // in the order of the file
	Servers   []Server   `key:"mcp_servers"` // built-in servers without a table first, then in the order of the file

	chosen  Provider          // the provider that Provider names
	secrets []string          // secrets outside of tables
	origins map[string]string // dotted key → "flag --model", "file config.toml:3"; defaults are missing
}

// Limits stop a turn.
type Limits struct {
	// tool rounds
	Iterations        int           `key:"iterations" flag:"max-iterations" span:"1 1000" or:"auto=-1"`
	ConsecutiveErrors int           `key:"consecutive_errors" flag:"max-errors" span:"1 100"` // failed calls in a row
	TotalTime         time.Duration `key:"total_time" flag:"max-time" span:"1s 24h"`          // of work
	ToolTime          time.Duration `key:"tool_time" span:"100ms 24h"`                        // until a silent call fails
	Silence           time.Duration `key:"silence" span:"5s 1h"`                              // until a reply stalls
	ThinkingTokens    int           `key:"thinking_tokens" span:"0 1000000"`                  // per reply, 0 for no limit
}

// Status configures the status line, the window title and notifications.
type Status struct {
	Style  string `key:"style" of:"sentence name"`      // how a running tool is shown
	Model  string `key:"model"`                         // writes the sentences, "" for the model of the conversation
	Motion string `key:"motion" of:"full reduced none"` // animation of the status line
	Title  bool   `key:"title"`                         // show the state in the window title
	Notify bool   `key:"notify"`                        // send notifications while the window has no focus
}

// Approval configures which tool calls run without asking. Patterns are globs for "server.tool".
type Approval struct {
	Mode  string   `key:"mode" of:"auto ask all"`
	Allow []string `key:"allow" is:"globs"` // calls that run without asking
	Deny  []string `key:"deny" is:"globs"`  // calls that never run
}

// UI configures the screen.
type UI struct {
	Theme string `key:"theme" is:"theme"` // its colours
	Mouse bool   `key:"mouse"`            // it scrolls, selects and copies
}

// defaults returns the configuration without flags, environment and file.
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
		UI:       UI{Theme: theme.Auto, Mouse: true},
		origins:  map[string]string{},
	}
}

// Secrets returns all values to mask in output, the longest first.
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

// Mask hides the secrets in text.
func (c *Config) Mask(text string) string { return secret.Hide(c.Secrets(), nil).Text(text) }

// Origin returns where the value of a dotted key ("limits.iterations") came from:
// "flag --max-iterations", "environment ALOUD_MODEL", "file config.toml:3" or "default".
func (c *Config) Origin(key string) string { return cmp.Or(c.origins[key], "default") }

// Allowed returns a line that lists the patterns in Approval.Allow for a server, or "" if there are none. They may be
// left over from an earlier server with the same name.
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
	return fmt.Sprintf("These calls of %s run without asking (allow in [approval]): %s\n",
		sanitize.Line(server), strings.Join(patterns, ", "))
}
