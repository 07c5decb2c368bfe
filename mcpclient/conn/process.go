package conn

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// dialProcess starts with the last revision that has a handshake, because probing for a newer one costs seconds with
// servers that ignore unknown requests, and ends others. A server that supports no handshake is started again.
func dialProcess(ctx, life context.Context, to Server, h *elicit.Handler) (*Conn, error) {
	c, err := launch(ctx, life, to, h, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if to.Protocol == "" && mayBeModern(err) {
		return launch(ctx, life, to, h, "")
	}
	return c, err
}

func launch(ctx, life context.Context, to Server, h *elicit.Handler, protocol string) (*Conn, error) {
	process := stdio.New(stdio.Config{Command: to.Command, Args: to.Args, Env: environment(to), Dir: to.Dir})
	c := newConn(to, process, h)
	c.process = process
	c.useLines(process.Lines)
	if err := c.start(ctx, life, protocol); err != nil {
		return nil, WithOutput(err, process.Tail())
	}
	return c, nil
}

// inherited are the environment variables that every server gets. They usually hold no secrets.
var inherited = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
}

// inheritedOnWindows are those that most Windows programs need besides.
var inheritedOnWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
	"TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment returns the environment of a server process.
func environment(to Server) []string {
	names := slices.Concat(inherited, to.EnvVars)
	if runtime.GOOS == "windows" {
		names = append(names, inheritedOnWindows...)
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && !strings.HasPrefix(value, "()") { // not shell functions
			env = append(env, name+"="+value)
		}
	}
	for name, value := range to.Env {
		env = append(env, name+"="+value) // overrides an earlier one
	}
	return env
}
