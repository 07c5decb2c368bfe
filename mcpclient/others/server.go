package others

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry reads the table of one server key by key.
type entry struct {
	reader
	program Program
	values  map[string]any
	asked   []string // keys that were understood, or that do not matter
}

// readEntry makes a server of a table. why says why it cannot.
func readEntry(program Program, in scope, name string, values map[string]any) (s Server, why string) {
	e := &entry{reader: reader{scope: in, server: name}, program: program, values: values}
	e.asked = append(e.asked, "description", "title", "icon", "icons", "version", "gallery", "$schema", "supports_parallel_tool_calls")
	s.Name = name
	kind := strings.ToLower(e.word("type", "transport", "transportType"))
	if program.Key != "kit" {
		e.asked = append(e.asked, "name")
	}
	if why = e.command(&s); why != "" {
		return s, why
	}
	e.address(&s, kind)
	switch {
	case slices.Contains([]string{"builtin", "inprocess", "sdk"}, kind):
		return s, "it is built into " + program.Name
	case s.Command == nil && s.URL == nil:
		return s, "it has neither a command nor an address"
	case s.Command != nil && s.URL != nil:
		return s, "it has a command and an address"
	case !slices.Contains([]string{"", "stdio", "http", "sse", "local", "remote", "streamable", "streamable-http", "streamablehttp", "streamable_http"}, kind):
		return s, fmt.Sprintf("its type %q is not known here", kind)
	}
	if s.URL != nil {
		if first, _ := s.URL[:1].Plain(); !strings.HasPrefix(first, "http://") && !strings.HasPrefix(first, "https://") && s.URL[0].Kind == Literal {
			return s, "its address is none of http or https"
		}
		e.headers(&s)
		e.login(&s)
	}
	e.limits(&s)
	e.leftOut()
	s.Remarks = e.remarks
	return s, ""
}

// command reads what is to be started.
func (e *entry) command(s *Server) (why string) {
	var words []string
	switch v := e.take("command").(type) {
	case nil:
	case string:
		words = []string{v}
	case []any:
		words = texts(v)
	default:
		return "its command is no text"
	}
	words = append(words, texts(e.take("args"))...)
	if len(words) > 0 && words[0] == "" || len(words) == 0 {
		return ""
	}
	if e.shell && runs(words[0]) {
		return "its command is what another command would say, which is not run"
	}
	s.Transport = "stdio"
	s.Command = e.text("command", words[0])
	if strings.ContainsAny(words[0], "\b\f\n\r\t") {
		e.remark("its command has a line break or the like in it, as when a single backslash stands in JSON: look at it")
	}
	for i, word := range words[1:] {
		s.Args = append(s.Args, e.text(fmt.Sprintf("argument %d", i+1), word))
	}
	e.folder(s, words)
	s.Env = map[string]Text{}
	for _, key := range []string{"env", "environment"} {
		values := pairs(e.take(key))
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if name == "" || strings.ContainsAny(name, "=\x00") {
				e.remark("a variable whose name is none is left out")
				continue
			}
			s.Env[name] = e.text(name, values[name])
		}
	}
	for _, element := range list(e.take("env_vars")) {
		name, _ := element.(string)
		if table, ok := element.(map[string]any); ok {
			name, _ = table["name"].(string)
		}
		if IsVariable(name) {
			s.EnvVars = append(s.EnvVars, name)
		}
	}
	return ""
}

// folder reads where a server is started. A project means its own folder with every path, also with those that do not look like one, as in
// "node build/index.js" and "npm run mcp": in another folder they would start whatever lies there.
func (e *entry) folder(s *Server, words []string) {
	dir, _ := e.take("cwd").(string)
	switch {
	case e.project != "" && !strings.HasPrefix(dir, "$") && !filepath.IsAbs(dir):
		s.Cwd = Lit(filepath.Join(e.project, dir))
	case dir == "${workspaceFolder}" && e.project == "": // where aloud is started, as without a word
	case dir != "":
		s.Cwd = e.text("cwd", dir)
	}
	path := strings.ContainsAny(words[0], `/\`) && unanchored(words[0])
	if e.project == "" && (dir != "" && unanchored(dir) || dir == "" && (path || slices.ContainsFunc(words[1:], dotted))) {
		e.remark("its paths begin in the folder that aloud is started in: write a whole one in cwd")
	}
}

// unanchored tells whether a path depends on the folder.
func unanchored(path string) bool {
	drive := len(path) > 1 && path[1] == ':'
	return !drive && !strings.ContainsAny(path[:1], `/\~$%`)
}

// dotted tells whether an argument is surely a path that depends on the folder.
func dotted(arg string) bool {
	arg = strings.ReplaceAll(arg, `\`, "/")
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
}

// address reads where a server in the network is, and how it is spoken to.
func (e *entry) address(s *Server, kind string) {
	transport := e.program.url
	address, _ := e.take("url").(string)
	if other, _ := e.take("httpUrl").(string); other != "" {
		address, transport = other, "http"
	}
	if other, _ := e.take("serverUrl").(string); other != "" && address == "" {
		address, transport = other, "http"
	}
	if address == "" {
		return
	}
	s.URL = e.text("url", address)
	switch {
	case kind == "sse":
		transport = "sse"
	case kind != "":
		transport = "http"
	case ssePath(address):
		transport = "sse"
	}
	s.Transport = transport
}

// ssePath knows addresses that say themselves that they are of the old kind.
func ssePath(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/sse")
}

// headers reads what is sent with every request.
func (e *entry) headers(s *Server) {
	s.Headers = map[string]Text{}
	for _, key := range []string{"headers", "http_headers"} {
		values := pairs(e.take(key))
		for _, name := range slices.Sorted(maps.Keys(values)) {
			header := name
			if strings.EqualFold(name, "Authorization") {
				header = "Authorization"
			}
			s.Headers[header] = e.text(header, values[name])
		}
	}
	for name, variable := range pairs(e.take("env_http_headers")) {
		if IsVariable(variable) {
			s.Headers[name] = Var(variable)
		}
	}
	if token := e.word("bearer_token"); token != "" {
		s.Headers["Authorization"] = append(Lit("Bearer "), e.text("Authorization", token)...)
	}
	if name, _ := e.take("bearer_token_env_var").(string); IsVariable(name) {
		s.Headers["Authorization"] = append(Lit("Bearer "), Var(name)...)
	}
}

// limits reads how long things may take, and which tools are offered.
func (e *entry) limits(s *Server) {
	unit := time.Second
	if e.program.milliseconds {
		unit = time.Millisecond
	}
	s.ToolTimeout = e.duration(e.unit(unit), "timeout")
	if d := e.duration(time.Second, "tool_timeout_sec"); d > 0 {
		s.ToolTimeout = d
	}
	s.StartupTimeout = e.duration(time.Millisecond, "startup_timeout_ms")
	if d := e.duration(time.Second, "startup_timeout_sec"); d > 0 {
		s.StartupTimeout = d
	}
	off, _ := e.take("disabled").(bool)
	on, said := e.take("enabled").(bool)
	s.Disabled = off || said && !on
	for _, key := range []string{"enabled_tools", "enabledTools", "allowedTools", "includeTools"} {
		s.EnabledTools = append(s.EnabledTools, texts(e.take(key))...)
	}
	for _, key := range []string{"disabled_tools", "disabledTools", "excludedTools", "excludeTools"} {
		s.DisabledTools = append(s.DisabledTools, texts(e.take(key))...)
	}
	if e.program.Key == "gemini" { // there a tool may be followed by what it is allowed to do
		s.EnabledTools, s.DisabledTools = bareNames(s.EnabledTools), bareNames(s.DisabledTools)
	}
}

// unit is what a timeout counts. People copy files from one program to another: nobody waits less than a second for a tool, or for hours.
func (e *entry) unit(usual time.Duration) time.Duration {
	const least, most = 1000, 10_000
	switch n := e.number("timeout"); {
	case n < least:
		return time.Second
	case n >= most:
		return time.Millisecond
	}
	return usual
}

func bareNames(tools []string) (names []string) {
	for _, tool := range tools {
		name, _, _ := strings.Cut(tool, "(")
		names = append(names, name)
	}
	return names
}

// leftOut says what of the table has no place in aloud, or is not taken over on purpose.
func (e *entry) leftOut() {
	trust := []string{"trust", "autoApprove", "alwaysAllow", "default_tools_approval_mode", "tools", "autoApproveTools"}
	sandbox := []string{"sandbox", "sandboxEnabled"}
	var other []string
	for _, key := range slices.Sorted(maps.Keys(e.values)) {
		switch {
		case slices.Contains(e.asked, key) || saysNothing(e.values[key]):
		case slices.Contains(trust, key):
			e.remark("%q is left out: its tools ask until you allow them", key)
		case slices.Contains(sandbox, key):
			e.remark("its sandbox is left out: it runs without one here")
		case key == "headersHelper":
			e.remark("%q is left out: the command is not run, so the headers that it would say are missing", key)
		case key == "envFile":
			e.remark("%q is left out: set the variables of %q where you start aloud, and name them in env_vars", key, fmt.Sprint(e.values[key]))
		case strings.HasPrefix(strings.ToLower(key), "oauth") || slices.Contains([]string{"auth", "authProviderType", "scopes"}, key):
			e.remark("%q is left out: log in here if the server asks for it", key)
		default:
			other = append(other, fmt.Sprintf("%q", key))
		}
	}
	if other != nil {
		e.remark("left out: %s", strings.Join(other[:min(len(other), 10)], ", "))
	}
}

// saysNothing knows values that are there out of habit.
func saysNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
