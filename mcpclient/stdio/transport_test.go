package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// The tests run this binary again as the server, in one of these roles.
const (
	roleVariable = "STDIO_TEST_ROLE"
	lifeVariable = "STDIO_TEST_LIFE" // an address; each process holds a connection to it while it runs
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
		os.Exit(0)
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
	case "echo":
		echo()
	case "arguments":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		arguments, _ := json.Marshal(os.Args[1:])
		fmt.Printf(`{"jsonrpc":"2.0","id":1,"result":%s}`+"\n", arguments)
	case "chatty":
		fmt.Println("Welcome to \x1b[31mchatty\x1b[0m!")
		fmt.Println("null")
		fmt.Print("> ")
		echo()
	case "failing":
		fmt.Fprintln(os.Stderr, "no such database: \x1b]0;gotcha\x07users")
		os.Exit(3)
	case "deaf":
		hang()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		hang()
	case "wrapper": // like npx
		child := exec.Command(os.Args[0])
		mark := "ALOUD_SERVER=" + os.Getenv("ALOUD_SERVER")
		child.Env = environment(os.Getenv("STDIO_TEST_CHILD"), os.Getenv(lifeVariable), mark)
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		_ = child.Run()
	case "runaway": // like servers that start a browser: a child in its own session
		child := exec.Command("setsid", os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=stubborn")
		_ = child.Run()
	case "endless":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Print(`{"jsonrpc":"2.0","id":1,"result":"`, strings.Repeat("x", 3<<20), "\"}\n")
		echo()
	case "host": // killed in TestKillEndsProcesses
		child := "STDIO_TEST_CHILD=" + os.Getenv("STDIO_TEST_CHILD")
		_, _ = Start(Config{Command: os.Args[0], Env: environment("wrapper", os.Getenv(lifeVariable), child)}, nil)
		hang()
	}
}

// hang waits until the process is killed. With select {}, Go may end it as a deadlock.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

func echo() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Params json.RawMessage `json:"params"`
		}
		_ = json.Unmarshal(in.Bytes(), &request)
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, request.Params)
	}
}

func environment(role, life string, more ...string) []string {
	base := []string{"PATH=" + os.Getenv("PATH"), roleVariable + "=" + role, lifeVariable + "=" + life}
	return append(append(base, "GOCOVERDIR="+os.TempDir()), more...)
}

func start(t *testing.T, config Config, role string, more ...string) *Transport {
	t.Helper()
	config.Command, config.Env = os.Args[0], environment(role, "", more...)
	server, err := Start(config, nil)
	must(t, err)
	t.Cleanup(server.Close)
	return server
}

func ask(ctx context.Context, server *Transport, id int, params any) (jsonrpc.Message, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return jsonrpc.Message{}, err
	}
	return server.Call(ctx, jsonrpc.Message{ID: fmt.Append(nil, id), Method: "echo", Params: raw})
}

func TestOtherOutputIsKept(t *testing.T) {
	server := start(t, Config{}, "chatty")
	response, err := ask(t.Context(), server, 1, 7)
	if err != nil || string(response.Result) != "7" {
		t.Fatalf("got %v, %v", response, err)
	}
	tail := strings.Join(server.Tail(), "|")
	if want := "stdout: Welcome to [31mchatty[0m!|stdout: null|stdout: >"; tail != want {
		t.Errorf("tail %q, want %q", tail, want)
	}
	server.Close()
	if _, err := ask(t.Context(), server, 9, nil); !errors.Is(err, jsonrpc.ErrGone) {
		t.Errorf("after Close: %v", err)
	}
}

func TestExitStatus(t *testing.T) {
	server := start(t, Config{}, "failing")
	_, err := ask(t.Context(), server, 1, nil)
	if !errors.Is(err, jsonrpc.ErrGone) || !strings.Contains(err.Error(), "exited with status 3") {
		t.Errorf("the request: %v", err)
	}
	<-server.Gone()
	if got := server.Tail(); len(got) != 1 || got[0] != "no such database: ]0;gotchausers" {
		t.Errorf("tail %q", got)
	}
}

func TestExitWithSlowDescendants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &Transport{grace: grace}
		server.process = &process{exited: make(chan struct{}), ended: make(chan struct{})}
		close(server.process.exited)
		time.AfterFunc(time.Hour, func() { close(server.process.ended) })
		if err := server.letEnd("standard output"); err != nil {
			t.Error(err)
		}
	})
}

func TestCommandThatDoesNotStart(t *testing.T) {
	for want, config := range map[string]Config{
		`command "aloud-no-such-command" not found`: {Command: "aloud-no-such-command"},
		`command "/no/such/command" not found`:      {Command: "/no/such/command"},
		`folder "/no/such/folder" does not exist`:   {Command: os.Args[0], Dir: "/no/such/folder"},
	} {
		if _, err := Start(config, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestServerThatDoesNotRead(t *testing.T) {
	server := start(t, Config{Grace: 10 * time.Millisecond}, "deaf")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := ask(ctx, server, 1, strings.Repeat("x", maxQueued))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first request: %v", err)
	}
	if _, err := ask(t.Context(), server, 2, strings.Repeat("x", maxQueued)); !errors.Is(err, errNotReading) {
		t.Errorf("the next request: %v", err)
	}
}

func TestLineOverTheLimit(t *testing.T) {
	server := start(t, Config{MaxLine: 1 << 20}, "endless")
	if _, err := ask(t.Context(), server, 1, nil); err == nil || !strings.Contains(err.Error(), "is larger than 1 MB") {
		t.Errorf("got %v", err)
	}
	if response, err := ask(t.Context(), server, 2, "again"); err != nil || string(response.Result) != `"again"` {
		t.Errorf("the next request: %v, %v", response, err)
	}
}

func TestTerminate(t *testing.T) {
	server, err := Start(Config{Command: os.Args[0], Env: environment("deaf", ""), Grace: time.Hour}, nil)
	must(t, err)
	server.Terminate()
	server.Close() // would take an hour
}

// lives returns an address for lifeVariable, and a function that waits for the next process to connect to it.
func lives(t *testing.T) (address string, next func() net.Conn) {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	_ = listener.SetDeadline(time.Now().Add(5 * time.Minute))
	return listener.Addr().String(), func() net.Conn {
		t.Helper()
		life, err := listener.Accept()
		must(t, err)
		t.Cleanup(func() { life.Close() })
		return life
	}
}

func awaitDeath(t *testing.T, who string, life net.Conn) {
	t.Helper()
	_ = life.SetReadDeadline(time.Now().Add(5 * time.Minute))
	if _, err := life.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s still runs", who)
	}
}

func TestCloseEndsWrapperAndChild(t *testing.T) {
	for _, child := range []string{"deaf", "stubborn"} {
		address, next := lives(t)
		server, err := Start(Config{Command: os.Args[0], Grace: 50 * time.Millisecond,
			Env: environment("wrapper", address, "STDIO_TEST_CHILD="+child)}, nil)
		must(t, err)
		wrapper, worker := next(), next()
		server.Close()
		awaitDeath(t, "the wrapper", wrapper)
		awaitDeath(t, "its child", worker)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
