package edit

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/sanitize"
)

// Server is an [mcp_servers.NAME] table to be written. ${NAME} in its values stands for a variable. One of Command and
// URL is set.
type Server struct {
	Name          string
	Note          string // where it comes from: a comment behind the header
	Command       string
	Args          []string
	Env           map[string]string
	EnvVars       []string
	Cwd           string
	URL           string
	Transport     string // "": the default
	Headers       map[string]string
	BearerEnv     string // the variable that holds the token
	Disabled      bool
	Trusted       bool
	Startup, Tool time.Duration // 0: the default
	EnabledTools  []string
	DisabledTools []string
}

// String is the table in TOML.
func (s Server) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]", config.Key(s.Name))
	if s.Note != "" {
		fmt.Fprintf(&b, " # %s", sanitize.Line(s.Note))
	}
	b.WriteByte('\n')
	line := func(key string, value any) {
		if v := reflect.ValueOf(value); !v.IsZero() && (v.Kind() != reflect.Map && v.Kind() != reflect.Slice || v.Len() > 0) {
			fmt.Fprintf(&b, "%s = %s\n", key, config.TOML(value))
		}
	}
	line("command", s.Command)
	line("args", s.Args)
	line("env", s.Env)
	line("env_vars", s.EnvVars)
	line("cwd", s.Cwd)
	line("url", s.URL)
	line("transport", s.Transport)
	line("bearer_token_env_var", s.BearerEnv)
	line("http_headers", s.Headers)
	if s.Disabled {
		b.WriteString("enabled = false\n")
	}
	line("trusted", s.Trusted)
	line("startup_timeout_sec", s.Startup.Seconds())
	line("tool_timeout_sec", s.Tool.Seconds())
	line("enabled_tools", s.EnabledTools)
	line("disabled_tools", s.DisabledTools)
	return b.String()
}

// Check reports what would be wrong with the table in a file.
func (s Server) Check(env Env) error { return config.Check("", []byte(s.String()), env) }

// noName is what the name of a server cannot have.
var noName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// ValidName makes a name for a server of what another program calls it. Of a name in a catalogue,
// io.github.someone/server, the last part is enough.
func ValidName(name string) string {
	name = strings.TrimRight(name, "/")
	name = strings.Trim(noName.ReplaceAllString(name[strings.LastIndexByte(name, '/')+1:], "-"), "-")
	name = strings.TrimRight(name[:min(len(name), config.LongestName)], "-")
	if name == "" {
		return "server"
	}
	return name
}

var variable = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// IsVariable reports whether s can be the name of an environment variable everywhere.
func IsVariable(s string) bool { return variable.MatchString(s) }
