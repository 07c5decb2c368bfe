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

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// The tests run this binary again as the server, in one of these roles.
const (
	roleVariable = "STDIO_TEST_ROLE"
	lifeVariable = "STDIO_TEST_LIFE" // where a process tells that it lives, by holding a connection until its death
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
	case "chatty":
		fmt.Println("Welcome to \x1b[31mchatty\x1b[0m!")
		fmt.Println("null")
		fmt.Print("> ")
		echo()
	case "failing":
		fmt.Fprintln(os.Stderr, "no such database: \x1b]0;gotcha\x07users")
		os.Exit(3)
	case "deaf":
		select {}
	case "stubborn": // ends for nothing but a kill
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		select {}
	case "wrapper": // as npx does: a child that does the work on the same pipes
		child := exec.Command(os.Args[0])
		child.Env = environment(os.Getenv("STDIO_TEST_CHILD"), os.Getenv(lifeVariable), "ALOUD_SERVER="+os.Getenv("ALOUD_SERVER"))
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		_ = child.Run()
	case "runaway": // as those do that drive a browser: a child in a session of its own
		child := exec.Command("setsid", os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=stubborn")
		_ = child.Run()
	case "endless":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Print(`{"jsonrpc":"2.0","id":1,"result":"`, strings.Repeat("x", 3<<20), "\"}\n")
		echo()
	case "host": // what is killed in TestNothingIsLeftWhenWeAreKilled
		t := New(Config{Command: os.Args[0], Env: environment("wrapper", os.Getenv(lifeVariable), "STDIO_TEST_CHILD="+os.Getenv("STDIO_TEST_CHILD"))})
		_ = t.Start(context.Background())
		select {}
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
	return append([]string{"PATH=" + os.Getenv("PATH"), roleVariable + "=" + role, lifeVariable + "=" + life, "GOCOVERDIR=" + os.TempDir()}, more...)
}

func start(t *testing.T, config Config, role string, more ...string) *Transport {
	t.Helper()
	config.Command, config.Env = os.Args[0], environment(role, "", more...)
	server := New(config)
	t.Cleanup(func() { server.Close() })
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return server
}

func ask(ctx context.Context, server *Transport, id int64, params any) (*transport.JSONRPCResponse, error) {
	return server.SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(id), Method: "echo", Params: params})
}

func TestRequestsAreAnswered(t *testing.T) {
	server := start(t, Config{}, "echo")
	for id := range int64(3) {
		response, err := ask(t.Context(), server, id, fmt.Sprint("question ", id))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(response.Result), fmt.Sprintf("%q", fmt.Sprint("question ", id)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ask(t.Context(), server, 9, nil); !errors.Is(err, ErrGone) {
		t.Errorf("after Close: %v", err)
	}
}

func TestJunkOnStdoutIsKept(t *testing.T) {
	server := start(t, Config{}, "chatty")
	response, err := ask(t.Context(), server, 1, 7)
	if err != nil || string(response.Result) != "7" {
		t.Fatalf("got %v, %v", response, err)
	}
	tail := strings.Join(server.Tail(), "|")
	if want := "stdout: Welcome to [31mchatty[0m!|stdout: null|stdout: >"; tail != want {
		t.Errorf("tail %q, want %q", tail, want)
	}
}

func TestTheEndIsToldWithItsReason(t *testing.T) {
	server := start(t, Config{}, "failing")
	_, err := ask(t.Context(), server, 1, nil)
	if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "exited with status 3") {
		t.Errorf("the call: %v", err)
	}
	<-server.Gone()
	if got := server.Tail(); len(got) != 1 || got[0] != "no such database: ]0;gotchausers" {
		t.Errorf("tail %q", got)
	}
}

func TestTheEndHasItsReasonHoweverLongItsChildrenTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := New(Config{})
		server.process = &process{exited: make(chan struct{}), ended: make(chan struct{})}
		close(server.process.exited)
		time.AfterFunc(time.Hour, func() { close(server.process.ended) })
		if err := server.letEnd("standard output"); err != nil {
			t.Error(err)
		}
	})
}

func TestACommandThatDoesNotStart(t *testing.T) {
	for want, config := range map[string]Config{
		"is not installed": {Command: "aloud-there-is-no-such-command"},
		"does not exist":   {Command: "/there/is/no/such/command"},
		"its folder":       {Command: os.Args[0], Dir: "/there/is/no/such/folder"},
	} {
		server := New(config)
		err := server.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestServerThatDoesNotReadBlocksNoCaller(t *testing.T) {
	server := start(t, Config{Grace: 10 * time.Millisecond}, "deaf")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := ask(ctx, server, 1, strings.Repeat("x", maxQueued))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first call: %v", err)
	}
	if _, err := ask(t.Context(), server, 2, strings.Repeat("x", maxQueued)); !errors.Is(err, errNotReading) {
		t.Errorf("the next one: %v", err)
	}
}

func TestAnEndlessLineIsRefusedToItsCall(t *testing.T) {
	server := start(t, Config{MaxLine: 1 << 20}, "endless")
	if _, err := ask(t.Context(), server, 1, nil); err == nil || !strings.Contains(err.Error(), "over the limit of 1 MB") {
		t.Errorf("got %v", err)
	}
	if response, err := ask(t.Context(), server, 2, "still there?"); err != nil || string(response.Result) != `"still there?"` {
		t.Errorf("the next call: %v, %v", response, err)
	}
}

func TestTerminateEndsAtOnce(t *testing.T) {
	server := New(Config{Command: os.Args[0], Env: environment("deaf", ""), Grace: time.Hour})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server.Terminate()
	if err := server.Close(); err != nil { // would take an hour
		t.Error(err)
	}
	New(Config{}).Terminate() // never started
}

// lives returns an address for lifeVariable, and a function that waits for the next process to appear there.
func lives(t *testing.T) (address string, next func() net.Conn) {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	_ = listener.SetDeadline(time.Now().Add(5 * time.Minute)) // for a broken program only
	return listener.Addr().String(), func() net.Conn {
		t.Helper()
		life, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { life.Close() })
		return life
	}
}

func awaitDeath(t *testing.T, who string, life net.Conn) {
	t.Helper()
	_ = life.SetReadDeadline(time.Now().Add(5 * time.Minute)) // for a broken program: a whole one is gone long before
	if _, err := life.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s is still alive", who)
	}
}

func TestCloseEndsAWrapperAndItsChild(t *testing.T) {
	for _, child := range []string{"deaf", "stubborn"} {
		address, next := lives(t)
		server := New(Config{Command: os.Args[0], Grace: 50 * time.Millisecond,
			Env: environment("wrapper", address, "STDIO_TEST_CHILD="+child)})
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		wrapper, worker := next(), next()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		awaitDeath(t, "the wrapper", wrapper)
		awaitDeath(t, "its child", worker)
	}
}

func BenchmarkRequest(b *testing.B) {
	server := New(Config{Command: os.Args[0], Env: environment("echo", "")})
	if err := server.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	b.ReportAllocs()
	for id := int64(0); b.Loop(); id++ {
		if _, err := ask(b.Context(), server, id, "question"); err != nil {
			b.Fatal(err)
		}
	}
}
