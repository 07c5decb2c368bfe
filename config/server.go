package config

import (
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

// Server is one [mcp_servers.NAME] table, or a built-in server. Exactly one of Builtin, Command and URL is set.
type Server struct {
	Name string
	Note string // a comment that Table adds

	StartupSet bool     // startup_timeout_sec is in the file
	HeaderVars []string // environment variables in Headers, sorted

	Command        string            `key:"command" for:"command" is:"path"`
	Args           []string          `key:"args" for:"command" is:"path"`
	Env            map[string]string `key:"env" for:"command" is:"path"`          // set for the program
	EnvVars        []string          `key:"env_vars" for:"command" is:"variable"` // variables to pass on
	Cwd            string            `key:"cwd" for:"command files" is:"path"`    // "" for the current folder
	URL            string            `key:"url" for:"url" is:"web"`
	Transport      string            `key:"transport" for:"command url" is:"word"` // "" for a built-in server
	BearerEnv      string            `key:"bearer_token_env_var" for:"url" is:"variable"`
	Headers        map[string]string `key:"http_headers" for:"url"` // after loading, with BearerEnv and EnvHeaders
	EnvHeaders     map[string]string `key:"env_http_headers" for:"url" is:"variable"`
	CAFile         string            `key:"ca_file" for:"url" is:"path"` // PEM, trusted in addition to the system's
	Builtin        string            `key:"builtin" for:"builtin" of:"clock files fetch"`
	BuiltinWrite   bool              `key:"builtin_write" for:"files"`                // allow changes
	AllowPrivate   bool              `key:"allow_private" for:"fetch"`                // for private and loopback addresses
	Protocol       string            `key:"protocol" for:"command url" is:"protocol"` // "auto" or "2025-11-25"
	Enabled        bool              `key:"enabled"`
	Required       bool              `key:"required"`
	Trusted        bool              `key:"trusted"` // its read-only tools run without asking
	StartupTimeout time.Duration     `key:"startup_timeout_sec" span:"100ms 1h"`
	ToolTimeout    time.Duration     `key:"tool_timeout_sec" span:"100ms 24h"`
	EnabledTools   []string          `key:"enabled_tools"`
	DisabledTools  []string          `key:"disabled_tools"`
	Roots          bool              `key:"roots"` // it may list the folders you work in
	OAuth          OAuth             `key:"oauth" for:"url"`

	Secrets []string // values to mask, the longest first
	Broken  error    // why it cannot start: variables that are not set, or a command with arguments
	kinds   []string // for the tag "for"
}

// NewServer returns a server with the defaults of the keys. A ToolTimeout of 0 means Limits.ToolTime.
func NewServer(name string) Server {
	return Server{Name: name, Enabled: true, Protocol: "auto", Roots: true, StartupTimeout: 20 * time.Second,
		OAuth: OAuth{Grant: GrantUser}}
}

// builtins are the servers that need no table.
func builtins() []string { return []string{"clock", "files", "fetch"} }

// LongestName is the maximum length of the name of a server or provider, in characters.
const LongestName = 32

// checkName reports names that do not fit into "server__tool", as models see it, and "server.tool" in patterns.
func (t *table) checkName() {
	name := t.name()
	odd := func(r rune) bool { return r != '-' && r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	n := utf8.RuneCountInString(name)
	if n == 0 || n > LongestName || strings.ContainsFunc(name, odd) || sanitize.Line(name) != name {
		t.mistake(t.path, "the name %q must be letters, digits, - and _, no more than %d", name, LongestName)
	}
}

// named returns the names of the tables in a table of tables, in the order of the file.
func (t *table) named(key string) []string {
	tables, _ := t.values[key].(map[string]any)
	names := slices.Sorted(maps.Keys(tables))
	slices.SortStableFunc(names, func(a, b string) int { return t.doc.offset(t.at(key, a)) - t.doc.offset(t.at(key, b)) })
	return names
}

// tables returns the tables with these names in a table of tables. Any other value is a mistake.
func (t *table) tables(key string, names []string) (all []*table) {
	values, _ := t.values[key].(map[string]any)
	for _, name := range names {
		inner, ok := values[name].(map[string]any)
		if values[name] != nil && !ok {
			t.inner(key, values).wrong(name, "must be a table, not %s", kind(values[name]))
			continue
		}
		all = append(all, &table{reader: t.reader, path: t.at(key, name), values: inner, expands: true})
	}
	return all
}

// name returns the last part of the path.
func (t *table) name() string { return t.path[len(t.path)-1] }

// servers reads [mcp_servers], in the order of Config.Servers.
func (t *table) servers() (servers []Server) {
	written := t.named("mcp_servers")
	names := slices.DeleteFunc(builtins(), func(name string) bool { return slices.Contains(written, name) })
	for _, s := range t.tables("mcp_servers", append(names, written...)) {
		servers = append(servers, s.server())
	}
	return servers
}

// server reads one [mcp_servers.NAME].
func (t *table) server() Server {
	name := t.name()
	s := NewServer(name)
	t.checkName()
	s.ToolTimeout = t.config.Limits.ToolTime
	isBuiltin := t.has("builtin") || slices.Contains(builtins(), name)
	s.Trusted = isBuiltin && !t.has("command") && !t.has("url")
	if s.Trusted && !t.has("builtin") {
		s.Builtin = name
	}
	t.fill(&s)
	s.StartupSet = t.has("startup_timeout_sec")
	switch {
	case t.has("command"):
		s.kinds = []string{"command"}
		t.stdio(&s)
	case t.has("url"):
		s.kinds = []string{"url"}
		t.http(&s)
	case isBuiltin:
		s.kinds = []string{"builtin", s.Builtin}
	default:
		t.mistake(t.path, `server %q needs a "command", "url" or "builtin"`, name)
	}
	if s.kinds != nil {
		t.refuse(&s, s.kinds...)
	}
	if !t.has("roots") {
		s.Roots = !givenFolders(s.Args)
	}
	s.Secrets = secret.LongestFirst(t.secrets)
	s.Broken = join(t.unset)
	return s
}

func (t *table) stdio(s *Server) {
	if _, isText := t.values["command"].(string); isText && strings.TrimSpace(s.Command) == "" {
		t.wrong("command", `is empty. Set it to the program to start, like "npx"`)
	} else if hasArguments(s.Command) {
		const alone = `%s must be the program alone. Put its arguments into args: command = "npx", args = ["-y", "x"]`
		t.unusable([]string{"command"}, alone, t.doc.name(t.at("command")))
	}
	t.hide(secret.OfArguments([]string{s.Command}))
	t.hide(secret.OfArguments(s.Args))
	for name, value := range s.Env {
		t.hide(secret.Of(name, value))
	}
	for i, name := range s.EnvVars {
		value := t.variable(name, "env_vars", strconv.Itoa(i))
		t.hide(secret.OfArguments([]string{name + "=" + value}))
	}
	t.transport(s, "stdio")
}

func (t *table) http(s *Server) {
	t.hide(secret.Of("", s.URL))
	s.HeaderVars = t.headerVariables(s)
	s.Headers = t.headers(s.Headers, s.EnvHeaders)
	s.EnvHeaders = nil
	if s.BearerEnv != "" {
		s.Headers["Authorization"] = "Bearer " + t.variable(s.BearerEnv, "bearer_token_env_var")
		t.hide(secret.Of("Authorization", s.Headers["Authorization"]))
	}
	t.transport(s, "http", "sse")
	if _, isTable := t.values["oauth"].(map[string]any); isTable && s.authorized() {
		t.wrong("oauth", "cannot be used with an Authorization header or bearer_token_env_var")
	}
}

// hasArguments reports whether a command looks like a line for a shell. It may also be a program whose name has a space
// and that is not installed.
func hasArguments(command string) bool {
	program, _, found := strings.Cut(strings.TrimSpace(command), " ")
	if !found {
		return false
	}
	if _, err := exec.LookPath(command); err == nil {
		return false
	}
	_, err := os.Stat(program)
	return err == nil || word().MatchString(program)
}

// word matches the name of a program, without a folder.
var word = sanitize.Pattern(`^[\w.-]+$`)

// transport checks the transport. The first that fits is the default.
func (t *table) transport(s *Server, fit ...string) {
	if s.Transport == "" {
		s.Transport = fit[0]
	}
	if err := oneOf(s.Transport, fit); err != nil {
		t.wrong("transport", "%v", err)
	}
}

// givenFolders reports whether the last argument is a folder. Such a server does not get roots, because the reference
// file server would use them instead of its arguments.
func givenFolders(args []string) bool {
	if len(args) == 0 {
		return false
	}
	info, err := os.Stat(args[len(args)-1])
	return err == nil && info.IsDir()
}

// Table returns the server as a table of the file, without keys that have their default.
func (s Server) Table() string {
	var b strings.Builder
	b.WriteString("[mcp_servers." + quotedKey(s.Name) + "]")
	if s.Note != "" {
		b.WriteString(" # " + sanitize.Line(s.Note))
	}
	b.WriteByte('\n')
	usual := map[string]any{}
	base := NewServer(s.Name)
	for f := range fields(&base) {
		usual[f.key] = f.value.Interface()
	}
	for f := range fields(&s) {
		if text := f.text(f.value.Interface()); !isEmpty(text) && !reflect.DeepEqual(f.value.Interface(), usual[f.key]) {
			b.WriteString(f.key + " = " + text + "\n")
		}
	}
	return b.String()
}

// Loaded returns the server that Load would return for Table, with the values of variables.
func (s Server) Loaded(env Lookup) (Server, error) {
	c, err := load("", []byte(s.Table()), LoadOptions{Env: env})
	if err != nil {
		return Server{}, err
	}
	return c.Servers[len(c.Servers)-1], nil // after the built-in ones
}

// Secret returns the key of a value that looks secret and must not be in the file, or "".
func (s Server) Secret() string {
	if secret.Looks("", s.Name) {
		return "name"
	}
	for f := range fields(&s) {
		looks := false
		switch v := f.value.Interface().(type) {
		case string:
			looks = secret.Looks("", v)
		case []string:
			for i := range v {
				looks = looks || secret.Looks(secret.Argument(v, i))
			}
		case map[string]string:
			for name, value := range v {
				looks = looks || secret.Looks("", name) || secret.Looks(name, value)
			}
		}
		if looks {
			return f.key
		}
	}
	return ""
}
