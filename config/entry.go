package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/secret"
)

// Entry is a server as it is to be written into the file: in its values ${NAME} stands for variables, which nothing is put in for.
// Exactly one of Command and URL is set.
type Entry struct {
	Name          string
	Note          string // a comment behind the header: where it comes from
	Command       string
	Args          []string
	Env           map[string]string
	EnvVars       []string
	Cwd           string
	URL           string
	Transport     string // "", "stdio", "http" or "sse"; only "sse" is written
	Headers       map[string]string
	BearerEnv     string // bearer_token_env_var
	Login         Login
	Disabled      bool
	Trusted       bool
	Startup, Tool time.Duration // 0: the default
	EnabledTools  []string
	DisabledTools []string
}

// Login is what is to be written of how to log in to a server with a URL: the key "oauth".
type Login struct {
	Off          bool
	ClientID     string
	SecretEnv    string // client_secret_env
	Scopes       []string
	CallbackPort int
}

// String is the value of the key, "" when nothing is said.
func (l Login) String() string {
	if l.Off {
		return "false"
	}
	var items []string
	if l.ClientID != "" {
		items = append(items, "client_id = "+tomlString(l.ClientID))
	}
	if l.SecretEnv != "" {
		items = append(items, "client_secret_env = "+tomlString(l.SecretEnv))
	}
	if l.Scopes != nil {
		items = append(items, "scopes = "+literal(l.Scopes, secret.Hider{}))
	}
	if l.CallbackPort != 0 {
		items = append(items, fmt.Sprintf("callback_port = %d", l.CallbackPort))
	}
	if items == nil {
		return ""
	}
	return "{ " + strings.Join(items, ", ") + " }"
}

// String is the table in TOML, with a newline at the end of each line.
func (e Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]", bare(e.Name))
	if e.Note != "" {
		fmt.Fprintf(&b, " # %s", comment(e.Note))
	}
	b.WriteByte('\n')
	text := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = %s\n", key, tomlString(value))
		}
	}
	truth := func(key string, value, usual bool) {
		if value != usual {
			fmt.Fprintf(&b, "%s = %v\n", key, value)
		}
	}
	text("command", e.Command)
	writeList(&b, "args", e.Args)
	writePairs(&b, "env", e.Env)
	writeList(&b, "env_vars", e.EnvVars)
	text("cwd", e.Cwd)
	text("url", e.URL)
	if e.Transport == "sse" {
		text("transport", e.Transport)
	}
	text("bearer_token_env_var", e.BearerEnv)
	writePairs(&b, "http_headers", e.Headers)
	if login := e.Login.String(); login != "" {
		fmt.Fprintf(&b, "oauth = %s\n", login)
	}
	truth("enabled", !e.Disabled, true)
	truth("trusted", e.Trusted, false)
	writeSeconds(&b, "startup_timeout_sec", e.Startup)
	writeSeconds(&b, "tool_timeout_sec", e.Tool)
	writeList(&b, "enabled_tools", e.EnabledTools)
	writeList(&b, "disabled_tools", e.DisabledTools)
	return b.String()
}

// widest is how wide a list may be on one line.
const widest = 100

func writeList(b *strings.Builder, key string, list []string) {
	if len(list) == 0 {
		return
	}
	items := make([]string, 0, len(list))
	for _, s := range list {
		items = append(items, tomlString(s))
	}
	if line := key + " = [" + strings.Join(items, ", ") + "]\n"; len(line) <= widest {
		b.WriteString(line)
		return
	}
	fmt.Fprintf(b, "%s = [\n  %s,\n]\n", key, strings.Join(items, ",\n  "))
}

func writePairs(b *strings.Builder, key string, pairs map[string]string) {
	if len(pairs) == 0 {
		return
	}
	var items []string
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		items = append(items, bare(name)+" = "+tomlString(pairs[name]))
	}
	if line := key + " = { " + strings.Join(items, ", ") + " }\n"; len(line) <= widest {
		b.WriteString(line)
		return
	}
	for _, item := range items { // an inline table must not go over several lines
		fmt.Fprintf(b, "%s.%s\n", key, item)
	}
}

func writeSeconds(b *strings.Builder, key string, d time.Duration) {
	switch seconds := d.Seconds(); {
	case d == 0:
	case seconds == math.Trunc(seconds):
		fmt.Fprintf(b, "%s = %d\n", key, int64(seconds))
	default:
		fmt.Fprintf(b, "%s = %v\n", key, seconds)
	}
}

// comment is a text that may stand in a comment: TOML allows no control characters there, and nothing may look like something else.
func comment(s string) string {
	quoted := tomlString(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}
