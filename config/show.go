package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/secret"
)

// Show writes the effective configuration as TOML, each value with a comment that tells where it came from.
// Secrets, and every value of env and of headers, are masked.
func Show(c *Config) string {
	p := &page{config: c, secrets: secret.Hide(c.Secrets(), nil)}
	p.line("model", c.Model)
	p.line("host", c.Host)
	p.line("provider", c.Provider)
	p.set("base_url", c.BaseURL)
	p.set("api_key_env", c.APIKeyEnv)
	p.line("system", c.System)
	p.line("system_prompt", map[bool]string{false: "default", true: "none"}[c.NoPrompt])
	p.line("think", c.Think)
	p.number("context", c.Context, 0)
	p.table("limits")
	p.number("iterations", c.Limits.Iterations, AutoIterations)
	p.line("consecutive_errors", c.Limits.ConsecutiveErrors)
	p.line("total_time", c.Limits.TotalTime)
	p.line("tool_time", c.Limits.ToolTime)
	p.line("silence", c.Limits.Silence)
	p.line("thinking_tokens", c.Limits.ThinkingTokens)
	p.table("status")
	p.line("style", c.Status.Style)
	p.line("model", c.Status.Model)
	p.line("motion", c.Status.Motion)
	p.line("title", c.Status.Title)
	p.line("taskbar", c.Status.Taskbar)
	p.line("notify", c.Status.Notify)
	p.table("approval")
	p.line("mode", c.Approval.Mode)
	p.line("allow", c.Approval.Allow)
	p.line("deny", c.Approval.Deny)
	for _, from := range c.Providers {
		p.provider(from)
	}
	for _, s := range c.Servers {
		p.server(s)
	}
	return p.b.String()
}

func (p *page) provider(from Provider) {
	p.table("providers." + Key(from.Name))
	p.line("type", from.Type)
	if from.Type == TypeOllama {
		p.set("host", from.Address)
	} else {
		p.line("base_url", from.Address)
		p.set("api_key_env", from.APIKeyEnv)
		p.set("http_headers", from.Headers)
		p.set("ca_file", from.CAFile)
	}
	p.set("model", from.Model)
	if p.config.Origin(p.prefix+"context") != "default" {
		p.number("context", from.Context, 0)
	}
}

func (p *page) server(s Server) {
	p.table("mcp_servers." + Key(s.Name))
	p.line("enabled", s.Enabled)
	p.line("required", s.Required)
	p.line("trusted", s.Trusted)
	switch {
	case s.Builtin != "":
		p.line("builtin", s.Builtin)
		p.set("cwd", s.Cwd)
		if s.Builtin == "files" {
			p.line("builtin_write", s.BuiltinWrite)
		}
		if s.Builtin == "fetch" {
			p.line("allow_private", s.AllowPrivate)
		}
	case s.Command != "":
		p.line("command", s.Command)
		p.line("args", s.Args)
		p.set("env", s.Env)
		p.set("env_vars", s.EnvVars)
		p.set("cwd", s.Cwd)
	default:
		p.line("url", s.URL)
		p.set("http_headers", s.Headers)
		p.set("ca_file", s.CAFile)
	}
	if s.Builtin == "" {
		p.line("transport", s.Transport)
		p.line("protocol", s.Protocol)
	}
	p.line("startup_timeout_sec", s.StartupTimeout.Seconds())
	p.line("tool_timeout_sec", s.ToolTimeout.Seconds())
	p.set("enabled_tools", s.EnabledTools)
	p.set("disabled_tools", s.DisabledTools)
	if s.Builtin == "" {
		p.line("roots", s.Roots)
		p.line("sampling", s.Sampling)
	}
	if s.URL != "" {
		p.oauth(s.OAuth)
	}
}

// oauth writes a table of its own, after all other keys of the server.
func (p *page) oauth(o OAuth) {
	if o.Off {
		p.line("oauth", false)
		return
	}
	if isDefault := o.Grant == GrantPerson && o.Issuer == "" && o.ClientID == "" && o.Scopes == nil && o.CallbackPort == 0 && o.ClientMetadataURL == ""; isDefault {
		return
	}
	p.table(strings.TrimSuffix(p.prefix, ".") + ".oauth")
	p.line("grant", o.Grant)
	p.set("issuer", o.Issuer)
	p.set("client_id", o.ClientID)
	p.set("client_secret_env", o.ClientSecretEnv)
	p.set("private_key_file", o.PrivateKeyFile)
	p.set("signing_algorithm", o.SigningAlgorithm)
	p.set("scopes", o.Scopes)
	if o.CallbackPort != 0 {
		p.line("callback_port", o.CallbackPort)
	}
	p.set("client_metadata_url", o.ClientMetadataURL)
}

// page is the text of Show while it is written.
type page struct {
	b       strings.Builder
	config  *Config
	secrets secret.Hider
	prefix  string // of dotted keys, "limits."
}

func (p *page) table(name string) {
	fmt.Fprintf(&p.b, "\n[%s]\n", name)
	p.prefix = name + "."
}

// set writes a line for a value that is not empty.
func (p *page) set(key string, v any) {
	if text := TOML(v); text != `""` && text != "[]" && text != "{}" {
		p.line(key, v)
	}
}

// number writes a line for a number that is called "auto" when it has one value.
func (p *page) number(key string, n, auto int) {
	if n == auto {
		p.line(key, "auto")
		return
	}
	p.line(key, n)
}

func (p *page) line(key string, v any) {
	fmt.Fprintf(&p.b, "%-40s # %s\n", key+" = "+TOML(p.masked(v)), p.config.Origin(p.prefix+key))
}

// masked is a value without its secrets. Values of tables, which are environments and headers, are never shown.
func (p *page) masked(v any) any {
	switch v := v.(type) {
	case string:
		return p.secrets.Text(v)
	case []string:
		return p.secrets.Texts(v)
	case map[string]string:
		masked := map[string]string{}
		for name := range v {
			masked[name] = secret.Mark
		}
		return masked
	}
	return v
}

// TOML is how a value is written in the file.
func TOML(v any) string {
	switch v := v.(type) {
	case string:
		return tomlString(v)
	case time.Duration:
		return strconv.Quote(short(v))
	case []string:
		var items []string
		for _, s := range v {
			items = append(items, tomlString(s))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var items []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			items = append(items, Key(k)+" = "+tomlString(v[k]))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	default:
		return fmt.Sprint(v)
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Key is how a key is written in the file, in quotes only where TOML needs them.
func Key(key string) string {
	if key != "" && strings.Trim(key, letters+"0123456789-_") == "" {
		return key
	}
	return tomlString(key)
}

// tomlString quotes s for a file. What could change how a terminal shows it is escaped too.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
