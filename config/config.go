// Package config turns flags, environment and the TOML file into one value. Only main imports it.
//
// A flag wins over the environment, the environment over the file, the file over the default; every value remembers where it came from
// (Show). The file is read strictly: unknown keys, wrong types and values out of range are errors that name file, line, column and key.
package config

import "time"

// Config is everything that can be set, with defaults filled in.
type Config struct {
	Path string // of the file, whether it exists or not

	Model    string // "": the one used last, else the first that can use tools
	Host     string // of the Ollama server, always a whole URL
	Provider string // "ollama" or "demo"
	System   string
	Think    string // "auto", "on" or "off"
	Context  int    // num_ctx in tokens; 0: auto

	Limits   Limits
	Status   Status
	Approval Approval

	Servers []Server // built-in ones that no table configures first, then in the order of the file

	origins map[string]string // dotted key → "flag --model", "config.toml:3"; a missing one is a default
}

// Limits bound the work of one turn.
type Limits struct {
	Iterations        int
	ConsecutiveErrors int
	TotalTime         time.Duration
	ToolTime          time.Duration // the default of Server.ToolTimeout
}

// Status says how the status line tells what a tool does.
type Status struct {
	Style string // "sentence" or "name"
	Model string // writes the sentences; "": the chat's own
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
	Transport         string            // "stdio", "http" or "sse"; "" for built-in ones
	Protocol          string            // "auto" or an MCP revision, "2025-11-25"
	StartupTimeout    time.Duration
	ToolTimeout       time.Duration
	Enabled, Required bool
	Trusted           bool // its hints may widen what runs without asking; always true for built-in ones
	EnabledTools      []string
	DisabledTools     []string
	Secrets           []string // values that must be masked wherever they would be shown, the longest first
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
			TotalTime:         2 * time.Minute,
			ToolTime:          time.Minute,
		},
		Status:   Status{Style: "sentence"},
		Approval: Approval{Mode: "auto"},
		origins:  map[string]string{},
	}
}

// Secrets are all values that must be masked wherever they would be shown, the longest first: one may begin like another.
func (c *Config) Secrets() []string {
	all := addressSecrets(c.Host)
	for _, s := range c.Servers {
		all = append(all, s.Secrets...)
	}
	return longestFirst(all)
}

// Mask hides the secrets in a text.
func (c *Config) Mask(text string) string { return mask(text, c.Secrets()) }

// Origin tells where the value of a dotted key ("limits.iterations") came from:
// "flag --max-iterations", "environment ALOUD_MODEL", "file config.toml:3" or "default".
func (c *Config) Origin(key string) string {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return "default"
}
