package conn

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// dialProcess starts with the last revision that has a handshake, because probing for a newer one costs seconds with
// servers that ignore unknown requests, and ends others. A server that supports no handshake is started again.
func dialProcess(ctx context.Context, to mcpclient.Server, h *elicit.Handler, heard func()) (*Conn, error) {
	if heard == nil {
		heard = func() {}
	}
	c, err := launch(ctx, to, h, heard, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if to.Protocol == "" && mayBeModern(err) {
		heard()
		return launch(ctx, to, h, heard, "")
	}
	return c, err
}

func launch(
	ctx context.Context, to mcpclient.Server, h *elicit.Handler, heard func(), protocol string,
) (*Conn, error) {
	c := newConn(to, h)
	config := stdio.Config{Command: to.Command, Args: to.Args, Env: environment(to), Dir: to.Dir}
	process, err := stdio.Start(config, func(m jsonrpc.Message) {
		heard()
		c.handleMessage(context.Background(), m)
	})
	if err != nil {
		return nil, err
	}
	c.wire, c.output, c.closing = process.Wire, process.Tail, process.Close
	if err = c.negotiate(ctx, protocol); err != nil {
		process.Terminate() // so that Close takes less time
		c.Close()
		return nil, WithOutput(explain(err), process.Tail())
	}
	return c, nil
}

// inherited are the environment variables that every server gets besides proxies. They usually hold no secrets.
var inherited = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
}

// proxies are the environment variables about proxies, which every server gets.
var proxies = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// ProxySecrets returns the secrets in the environment variables about proxies.
func ProxySecrets() (all []string) {
	for _, name := range proxies {
		address := os.Getenv(name)
		all = append(all, secret.Of("", address)...)
		all = append(all, secret.Of("password", proxyPassword(address))...)
	}
	return all
}

// proxyPassword returns the password in the address of a proxy. It reads more forms than url.Parse, because programs
// do: addresses without a scheme and passwords with characters that are not escaped.
func proxyPassword(address string) string {
	if _, rest, found := strings.Cut(address, "//"); found {
		address = rest
	}
	user := address[:max(0, strings.LastIndexByte(address, '@'))]
	_, after, _ := strings.Cut(user, ":")
	return after
}

// inheritedOnWindows are those that most Windows programs need besides.
var inheritedOnWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
	"TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment returns the environment of a server process.
func environment(to mcpclient.Server) []string {
	names := slices.Concat(inherited, proxies, to.EnvVars)
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
