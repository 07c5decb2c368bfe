package config

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/secret"
)

// builtins are the servers that are on without any file.
func builtins() []string { return []string{"clock", "files", "fetch"} }

// servers reads [mcp_servers]: the built-in ones that no table configures, then the tables in the order of the file.
func (l *loader) servers() []Server {
	all := l.table("mcp_servers")
	var servers []Server
	names := slices.DeleteFunc(builtins(), all.has)
	for _, name := range append(names, all.inOrder()...) {
		if !serverName(name) {
			l.mistake(all.key(name), "the server's name %q "+nameRule, name)
		}
		if s, ok := l.server(name, all.has(name)); ok {
			servers = append(servers, s)
		}
	}
	return servers
}

func (l *loader) newServer(name string) Server {
	return Server{Name: name, Enabled: true, Protocol: "auto", Sampling: "ask", StartupTimeout: 20 * time.Second, ToolTimeout: l.config.Limits.ToolTime}
}

// LongestName is how many letters the name of a server or a provider may have.
const LongestName = 32

// nameRule says what serverName wants.
const nameRule = "must be letters, digits, - and _, at most 32"

// serverName keeps names short and without dots: a tool is called "server__tool" by models and "server.tool" in patterns.
func serverName(s string) bool {
	return len(s) <= LongestName && Key(s) == s
}

// serverTable reads one [mcp_servers.NAME].
type serverTable struct {
	resolving
	server Server
}

func (l *loader) server(name string, isWritten bool) (Server, bool) {
	t := &serverTable{resolving{table: l.table("mcp_servers", name)}, l.newServer(name)}
	if t.values == nil && isWritten {
		return Server{}, false // not a table, as has been noted
	}
	s := &t.server
	t.truth("enabled", &s.Enabled)
	t.truth("required", &s.Required)
	s.Trusted = !t.has("command") && !t.has("url")
	t.truth("trusted", &s.Trusted)
	t.duration("startup_timeout_sec", &s.StartupTimeout, span[time.Duration]{100 * time.Millisecond, time.Hour})
	t.duration("tool_timeout_sec", &s.ToolTimeout, span[time.Duration]{100 * time.Millisecond, 24 * time.Hour})
	t.texts("enabled_tools", &s.EnabledTools)
	t.texts("disabled_tools", &s.DisabledTools)
	t.choice("sampling", &s.Sampling, "ask", "allow", "deny")
	t.truth("roots", &s.Roots)

	stdio := []string{"command", "args", "env", "env_vars"}
	http := []string{"url", "http_headers", "env_http_headers", "bearer_token_env_var", "ca_file", "oauth"}
	builtin := []string{"builtin", "builtin_write", "allow_private"}
	wire := []string{"transport", "protocol"}
	switch {
	case t.has("command"):
		t.refuse("is for servers with a url; this one has a command", http...)
		t.refuse("is for built-in servers; this one has a command", builtin...)
		t.stdio()
	case t.has("url"):
		t.refuse("is for servers with a command; this one has a url", append(stdio, "cwd")...)
		t.refuse("is for built-in servers; this one has a url", builtin...)
		t.http()
	case t.has("builtin") || slices.Contains(builtins(), name):
		t.refuse("is for servers with a command; this one is built in", stdio...)
		t.refuse("is for servers with a url; this one is built in", http...)
		t.refuse("is for servers with a command or a url; this one is built in", wire...)
		t.builtin()
	default:
		t.loader.mistake(t.path, `the server %q has no "command", "url" or "builtin"; write one of them`, name)
		t.asked = slices.Concat(t.asked, stdio, http, builtin, wire, []string{"cwd"}) // which of them are right is not known
	}
	if !t.has("roots") {
		s.Roots = !givenFolders(s.Args)
	}
	s.Secrets = secret.LongestFirst(t.secrets)
	t.needs()
	return *s, true
}

// needs sorts what could not be resolved: either the file is wrong, or only this server has to wait for a variable. A
// server that is switched off needs nothing.
func (t *serverTable) needs() {
	var waiting []*Error
	for _, mistake := range t.unset {
		if onlyUnset(mistake) || !t.server.Enabled {
			waiting = append(waiting, mistake)
		} else {
			t.loader.mistakes = append(t.loader.mistakes, mistake)
		}
	}
	t.server.Unset = join(waiting)
}

// refuse notes a mistake for each of the keys that the table has.
func (t *table) refuse(why string, keys ...string) {
	for _, key := range keys {
		t.asked = append(t.asked, key)
		if t.has(key) {
			t.mistake(key, "%s", why)
		}
	}
}

func (t *serverTable) stdio() {
	s := &t.server
	if t.text("command", &s.Command) && strings.TrimSpace(s.Command) == "" {
		t.mistake("command", `is empty; write the program to start, like "npx"`)
	}
	s.Command = t.home(t.expanded(s.Command, "command"))
	t.hide(secret.OfArguments([]string{s.Command}))
	t.texts("args", &s.Args)
	for i := range s.Args {
		s.Args[i] = t.expanded(s.Args[i], "args", strconv.Itoa(i))
	}
	t.hide(secret.OfArguments(s.Args))
	t.pairs("env", &s.Env)
	t.shows("env", func() any { return s.Env })
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		s.Env[name] = t.expanded(s.Env[name], "env", name)
		t.hide(secret.Of(name, s.Env[name]))
	}
	t.texts("env_vars", &s.EnvVars)
	for _, name := range s.EnvVars {
		value, _ := t.loader.env(name)
		t.hide(secret.OfArguments([]string{name + "=" + value}))
	}
	t.cwd()
	s.Transport = "stdio"
	t.choice("transport", &s.Transport, "stdio")
	t.protocol()
}

// givenFolders reports whether the arguments end in a folder that is there. A server that was given its folders is not
// told of others: the reference file server would take those instead.
func givenFolders(args []string) bool {
	last := len(args) - 1
	if last < 0 {
		return false
	}
	info, err := os.Stat(args[last])
	return err == nil && info.IsDir()
}

func (t *serverTable) http() {
	s := &t.server
	t.text("url", &s.URL)
	s.URL = t.expanded(s.URL, "url")
	u, err := url.Parse(s.URL)
	if len(t.unset) == 0 && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		t.unresolved(nil, []string{"url"}, `"url" is no address; write one like "https://example.com/mcp"`)
	}
	t.hide(secret.Of("", s.URL))
	s.Headers = t.headers()
	var bearer string
	if t.text("bearer_token_env_var", &bearer) {
		s.Headers["Authorization"] = "Bearer " + t.variable(bearer, "bearer_token_env_var")
		t.hide(secret.Of("Authorization", s.Headers["Authorization"]))
	}
	t.text("ca_file", &s.CAFile)
	s.CAFile = t.home(t.expanded(s.CAFile, "ca_file"))
	s.Transport = "http"
	t.choice("transport", &s.Transport, "http", "sse")
	t.protocol()
	t.oauth()
}

func (t *serverTable) builtin() {
	s := &t.server
	if slices.Contains(builtins(), s.Name) {
		s.Builtin = s.Name
	}
	t.choice("builtin", &s.Builtin, builtins()...)
	if s.Builtin == "files" {
		t.truth("builtin_write", &s.BuiltinWrite)
		t.cwd()
	} else {
		t.refuse(`is for the built-in server "files"`, "builtin_write", "cwd")
	}
	if s.Builtin == "fetch" {
		t.truth("allow_private", &s.AllowPrivate)
	} else {
		t.refuse(`is for the built-in server "fetch"`, "allow_private")
	}
}

func (t *serverTable) cwd() {
	t.text("cwd", &t.server.Cwd)
	t.server.Cwd = t.home(t.expanded(t.server.Cwd, "cwd"))
}

// protocol reads "auto" or a revision of MCP, which is a date.
func (t *serverTable) protocol() {
	if !t.text("protocol", &t.server.Protocol) || t.server.Protocol == "auto" {
		return
	}
	if _, err := time.Parse(time.DateOnly, t.server.Protocol); err != nil {
		t.mistake("protocol", `is %q; it must be "auto" or an MCP revision like "2025-11-25"`, t.server.Protocol)
	}
}
