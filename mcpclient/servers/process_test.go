package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/e2e/badserver"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// The tests run this binary again as a server with one fault. It implements the protocol itself.
const (
	roleVariable = "MCPCLIENT_TEST_ROLE"
	lifeVariable = "MCPCLIENT_TEST_LIFE" // address that each process holds a connection to until it ends
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == badServer {
		os.Exit(badserver.Main(os.Args[:2], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func play(role string) {
	if address := os.Getenv(lifeVariable); address != "" {
		if life, err := net.Dial("tcp", address); err == nil {
			defer life.Close()
		}
	}
	switch role {
	case "failing":
		fmt.Fprintln(os.Stderr, "cannot open the \x1b[31mdatabase\x1b[0m")
		os.Exit(3)
	case "deaf":
		select {}
	case "greeting":
		fmt.Println("installing")
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		select {}
	case "asking":
		_ = server.ServeStdio(asker())
	case "nosy":
		beNosy()
	case "visiting":
		visit(os.Getenv(placesVariable))
	case "wrapper":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=deaf")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		_ = child.Run()
	default:
		speak(role)
	}
}

// speak runs a correct server, except for the fault of its role.
func speak(role string) {
	cancelled := ""
	serveProcess(func(m mcptest.Message, send func(string)) string {
		switch m.Method {
		case "server/discover":
			if role != "newest" {
				os.Exit(9) // as some do
			}
			return m.Respond(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case "initialize":
			if role == "newest" {
				return m.Fail(-32601, "no handshakes here")
			}
		case "tools/list":
			return m.Tools(`{"name":"use"},{"name":"bad","inputSchema":1}` + cancelled)
		case "tools/call":
			return use(role, m, send)
		case "notifications/cancelled":
			cancelled = `,{"name":"I was told"}`
			return mcptest.ToolsChanged
		}
		return m.Usual()
	})
}

func serveProcess(s mcptest.Server) { _ = s.Serve(context.Background(), os.Stdin, os.Stdout) }

func use(role string, m mcptest.Message, send func(string)) string {
	switch role {
	case "dying":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(4)
	case "hanging":
		return ""
	case "once": // responds and then exits
		send(m.Text(fmt.Sprint("process ", os.Getpid())))
		os.Exit(0)
	case "environment":
		return m.Text(strings.Join(os.Environ(), "\n"))
	}
	return m.Usual()
}

// acting returns the configuration of a server process in a role.
func acting(role string, more ...string) mcpclient.Server {
	env := map[string]string{roleVariable: role, "GORACE": "atexit_sleep_ms=0"}
	s := mcpclient.Server{Name: role, Command: os.Args[0], Env: env}
	for i := 0; i+1 < len(more); i += 2 {
		s.Env[more[i]] = more[i+1]
	}
	return s
}

func TestServerWithoutHandshake(t *testing.T) {
	set, board := ready(t, acting("newest"))
	if got := call(t, set, "newest__use", "").Text; got != "fine" {
		t.Errorf("it says %q", got)
	}
	if s := board.Servers()[0]; s.Tools != 1 || s.Detail != `tool "bad" skipped: its schema is not an object` {
		t.Errorf("%+v", s)
	}
}

func TestTimeoutCancelsCall(t *testing.T) {
	hanging := acting("hanging")
	hanging.ToolTimeout = 50 * time.Millisecond
	set, board := ready(t, hanging)
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "hanging__use"}, nil)
	const want = `tool "hanging__use" sent no result and no progress for 50ms. tool_timeout_sec sets the limit`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	// the server confirms with a new tool
	await(t, board, func(s []mcpclient.ServerStatus) bool { return s[0].Tools == 2 })
	set.Close()
	if _, err := set.Call(t.Context(), mcpclient.Call{Tool: "hanging__use"}, nil); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ALOUD_TEST_SECRET", "not for servers")
	t.Setenv("ALOUD_TEST_PASSED", "passed on")
	server := acting("environment", "ALOUD_TEST_GIVEN", "given")
	server.EnvVars = []string{"ALOUD_TEST_PASSED", "ALOUD_TEST_MISSING"}
	set, _ := ready(t, server)
	env := call(t, set, "environment__use", "").Text
	if strings.Contains(env, "SECRET") || !strings.Contains(env, "ALOUD_TEST_PASSED=passed on") ||
		!strings.Contains(env, "ALOUD_TEST_GIVEN=given") || !strings.Contains(env, "PATH=") {
		t.Errorf("the server sees:\n%s", env)
	}
}

func TestEnvironmentReachesTheWorld(t *testing.T) {
	var want []string
	for _, name := range []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "DISPLAY", "WAYLAND_DISPLAY",
		"XAUTHORITY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"no_proxy",
	} {
		t.Setenv(name, "value-of-"+name)
		want = append(want, name+"=value-of-"+name)
	}
	t.Setenv("HTTPS_PROXY", "http://me:correct-horse@127.0.0.1:9")
	want[8] = "HTTPS_PROXY=http://me:•••@127.0.0.1:9"
	t.Setenv("https_proxy", "http://me:correct-horse@127.0.0.1:9") // the same variable on Windows
	want[12] = "//me:•••@127.0.0.1:9"
	set, _ := ready(t, acting("environment"))
	env := call(t, set, "environment__use", "").Text
	for _, line := range want {
		if !strings.Contains(strings.ToLower(env), strings.ToLower(line)) {
			t.Errorf("the server does not see %s:\n%s", line, env)
		}
	}
	if strings.Contains(env, "correct-horse") {
		t.Errorf("the server returns the password of the proxy:\n%s", env)
	}
}

// The password of a proxy is hidden in every form that programs accept.
func TestProxyPasswordIsHidden(t *testing.T) {
	for address, want := range map[string]string{
		"user:hunter2pass@proxy:3128":         "user:•••@proxy:3128",
		`DOMAIN\user:hunter2pass@proxy:3128`:  `DOMAIN\user:•••@proxy:3128`,
		"//user:hunter2pass@proxy":            "//user:•••@proxy",
		"http://user:hunter2#pa/ss@proxy:80/": "http://user:•••@proxy:80/",
		"user:hunter2:p@ss@proxy":             "user:•••@proxy",
		"proxy:3128":                          "proxy:3128",
		"http://proxy:3128":                   "http://proxy:3128",
	} {
		t.Setenv("ALL_PROXY", address)
		set, _ := ready(t, acting("environment"))
		env := call(t, set, "environment__use", "").Text
		_, value, _ := strings.Cut(strings.ToLower(env), "all_proxy=")
		if !strings.HasPrefix(value, strings.ToLower(want)+"\n") {
			t.Errorf("%s: the server returns\n%s", address, env)
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer listener.Close()
	_ = listener.SetDeadline(time.Now().Add(5 * time.Minute)) // only reached by a broken program
	// The wrapper and its child are still starting. The child never responds and never reads its input.
	set := Start(t.Context(), []mcpclient.Server{acting("wrapper", lifeVariable, listener.Addr().String())},
		Options{Board: &Board{}})
	for range 2 {
		life, err := listener.Accept()
		must(t, err)
		defer life.Close()
		defer func() {
			_ = life.SetReadDeadline(time.Now().Add(5 * time.Minute)) // only reached by a broken program
			if _, err := life.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("a process is still alive")
			}
		}()
	}
	set.Close()
	set.Close() // the second does nothing
	if settled, all, _ := set.Starting(); settled != all {
		t.Errorf("%d of %d settled after Close", settled, all)
	}
}

func TestServersOutliveStartContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	board := &Board{}
	set := Start(ctx, []mcpclient.Server{acting("plain")}, Options{Board: board})
	defer set.Close()
	must(t, set.Ready(ctx))
	cancel()
	if got := call(t, set, "plain__use", "").Text; got != "fine" {
		t.Errorf("got %q", got)
	}
}
