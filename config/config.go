// Package config turns flags, environment and the TOML file into one value. Only cli imports it, and the packages below it.
//
// A flag wins over the environment, the environment over the file, the file over the default; every value remembers where it came from
// (Show). The file is read strictly: unknown keys, wrong types and values out of range are errors that name file, line, column and key.
package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Config has all settings, with defaults filled in.
type Config struct {
	Path string // of the file, whether it exists or not

	Model    string // "": the one used last, else the first that can use tools
	Host     string // of the Ollama server in use, always a whole URL
	Provider string // "ollama", "openai", "demo" or the name of one of Providers; Chosen has what is meant
	System   string
	NoPrompt bool   // leaves aloud's own system prompt out
	Think    string // "auto", "on" or "off"
	Context  int    // num_ctx in tokens; 0: auto

	BaseURL   string     // of the OpenAI-compatible server in use, always a whole URL; "" when none is
	APIKeyEnv string     // the name of the variable that holds its key; "": it takes none
	Providers []Provider // the [providers.NAME] tables, in the order of the file

	Limits   Limits
	Status   Status
	Approval Approval

	Servers []Server // built-in ones that no table configures first, then in the order of the file

	chosen   Provider          // what Provider names
	origins  map[string]string // dotted key → "flag --model", "config.toml:3"; a missing one is a default
	settings []setting         // the keys of the file that have been read
}

// setting is a key, and its value in force for Show.
type setting struct {
	path  []string
	value func() any
}

// AutoIterations is limits.iterations = "auto".
const AutoIterations = -1

// Limits bound the work of one turn.
type Limits struct {
	Iterations        int // AutoIterations: what the turns with a model took so far
	ConsecutiveErrors int
	TotalTime         time.Duration
	ToolTime          time.Duration // the default of Server.ToolTimeout
	Silence           time.Duration // of a reply that had begun, before it counts as stalled
	ThinkingTokens    int           // that one reply may spend on thinking; 0: no limit
}

// Status says how the status line looks, and where else aloud may say how a turn stands.
type Status struct {
	Style   string // of a running tool: "sentence" or "name"
	Model   string // writes the sentences; "": the chat's own
	Motion  string // how much of the line moves by itself: "full", "reduced" or "none"
	Title   bool   // the title of the terminal's window tells
	Taskbar bool   // so does its place in the taskbar
	Notify  bool   // so does a notification, while the window has no focus
}

// Approval says which tool calls run without asking. Patterns are globs over "server.tool".
type Approval struct {
	Mode  string // "auto", "ask" or "all"
	Allow []string
	Deny  []string
}

// Server is one [mcp_servers.NAME] table, or a built-in server. Exactly one of Builtin, Command and URL is set.
type Server struct {
	Name              string
	Builtin           string // "clock", "files" or "fetch"
	BuiltinWrite      bool   // files may change what is in its folder
	AllowPrivate      bool   // fetch may open private and loopback addresses
	Command           string
	Args              []string
	Env               map[string]string // added to the server's environment
	EnvVars           []string          // names of variables passed on
	Cwd               string            // of the command; the folder of built-in files. "": the current one
	URL               string
	Headers           map[string]string // http_headers, env_http_headers and bearer_token_env_var, resolved
	OAuth             OAuth             // of a server with a URL
	CAFile            string            // PEM file of certificates to trust besides the system's, for a url
	Transport         string            // "stdio", "http" or "sse"; "" for built-in ones
	Protocol          string            // "auto" or an MCP revision, "2025-11-25"
	StartupTimeout    time.Duration
	ToolTimeout       time.Duration
	Enabled, Required bool
	Trusted           bool // its hints may widen what runs without asking; always true for built-in ones
	EnabledTools      []string
	DisabledTools     []string
	Roots             bool     // it is told of the folders that people work in
	Sampling          string   // "ask", "allow" or "deny": what becomes of its wishes for the model to write something
	Secrets           []string // values that must be masked wherever they would be shown, the longest first
	Unset             error    // why it cannot start, and everything else can: variables that are not set, or what is wrong with one that is switched off
}

// defaults is the configuration without flags, environment and file.
func defaults() *Config {
	return &Config{
		Host:     "http://127.0.0.1:11434",
		Provider: "ollama",
		Think:    "auto",
		Limits: Limits{
			Iterations:        10,
			ConsecutiveErrors: 3,
			TotalTime:         10 * time.Minute,
			ToolTime:          time.Minute,
			Silence:           time.Minute,
		},
		Status:   Status{Style: "sentence", Motion: "full", Title: true, Taskbar: true, Notify: true},
		Approval: Approval{Mode: "auto"},
		origins:  map[string]string{},
	}
}

// Secrets are all values that must be masked wherever they would be shown, the longest first.
func (c *Config) Secrets() []string {
	all := slices.Concat(secret.Of("", c.Host), secret.Of("", c.BaseURL), c.chosen.Secrets)
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

// Allowed warns of calls of a server that run without asking: the patterns may be meant for an earlier server of that
// name. It may be "".
func (c *Config) Allowed(server string) string {
	var patterns []string
	for _, pattern := range c.Approval.Allow {
		glob := strings.IndexAny(pattern, `*?\`)
		before := pattern[:max(glob, 0)]
		if glob < 0 {
			before = pattern
		}
		if strings.HasPrefix(before, server+".") || glob >= 0 && strings.HasPrefix(server+".", before) {
			patterns = append(patterns, fmt.Sprintf("%q", pattern))
		}
	}
	if patterns == nil {
		return ""
	}
	return fmt.Sprintf("Calls of %s that run without asking, by allow in [approval]: %s", sanitize.Line(server), strings.Join(patterns, ", "))
}
