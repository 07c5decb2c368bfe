package conn

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// dialProcess begins with the last revision that has a handshake: probing for a newer one costs 5 s with servers that do not answer what they do not
// know, and ends some of them. Only a server that knows no handshake is started again without.
func dialProcess(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	c, err := launch(ctx, life, to, a, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if to.Protocol == "" && speaksOtherProtocol(err) {
		return launch(ctx, life, to, a, "")
	}
	return c, err
}

func launch(ctx, life context.Context, to Server, a *elicit.Handler, protocol string) (*Conn, error) {
	process := stdio.New(stdio.Config{Command: to.Command, Args: to.Args, Env: environment(to), Dir: to.Dir})
	c := newConn(to, process, elicit.NewRequests(a))
	c.process, c.lost = process, process.Gone()
	c.reply = func(_ context.Context, response *transport.JSONRPCResponse) { process.Reply(response) }
	process.SetRequestHandler(c.asked)
	if err := c.start(ctx, life, protocol); err != nil {
		return nil, WithOutput(err, process.Tail())
	}
	return c, nil
}

// inherited are the variables every server gets from us. None of them usually holds a secret.
var inherited = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
}

// inheritedOnWindows come on top there: hardly a program starts without them.
var inheritedOnWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment is all a server's process gets to see: the inherited variables, those passed on by name, those of the configuration.
func environment(to Server) []string {
	names := slices.Concat(inherited, to.EnvVars)
	if runtime.GOOS == "windows" {
		names = append(names, inheritedOnWindows...)
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && !strings.HasPrefix(value, "()") { // a shell's functions are not passed on
			env = append(env, name+"="+value)
		}
	}
	for name, value := range to.Env {
		env = append(env, name+"="+value) // the last of a name counts
	}
	return env
}
