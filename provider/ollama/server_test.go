package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// TestMain turns the test binary into a fake ollama when it runs under that name.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); strings.TrimSuffix(name, ".exe") == "ollama" {
		playOllama()
	}
	os.Setenv("NO_PROXY", "*") // ignore the proxy of this machine
	os.Exit(m.Run())
}

func playOllama() {
	if len(os.Args) != 2 || os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "usage: ollama serve")
		os.Exit(2)
	}
	switch os.Getenv("PLAY") {
	case "dies":
		fmt.Fprintln(os.Stderr, "time=now level=INFO\nError: could not create the models folder")
		os.Exit(1)
	case "hangs":
		select {}
	case "has a child":
		child := exec.Command(os.Args[0], "serve")
		child.Env = append(os.Environ(), "PLAY=stubborn")
		if err := child.Run(); err != nil {
			os.Exit(1)
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	}
	err := http.ListenAndServe(os.Getenv("OLLAMA_HOST"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"version":"0.24.0"}`)
	}))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// install puts a fake ollama with the given behaviour into the PATH.
func install(t *testing.T, part string) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	dir, name := t.TempDir(), "ollama"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if runtime.GOOS == "windows" { // a link to this program could not be removed while it runs
		program, err := os.ReadFile(self)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name), program, 0o700))
	} else if err := os.Link(self, filepath.Join(dir, name)); err != nil {
		must(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	t.Setenv("PATH", dir)
	t.Setenv("PLAY", part)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

func TestStartAndClose(t *testing.T) {
	install(t, "serves")
	address := freeAddress(t)
	var server Server
	defer server.Close()
	must(t, server.Start(t.Context(), address))
	if err := server.Start(t.Context(), address); err != nil {
		t.Errorf("starting it again: %v", err)
	}
	c, err := New(address)
	must(t, err)
	if version, err := c.Version(t.Context()); err != nil || version != "0.24.0" {
		t.Errorf("version %q, %v", version, err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Version(t.Context()); err == nil {
		t.Error("it still answers after Close")
	}
	if err := server.Start(t.Context(), address); !errors.Is(err, context.Canceled) {
		t.Errorf("after Close it starts with %v", err)
	}
}

func TestCloseKillsChildren(t *testing.T) {
	install(t, "has a child")
	address := freeAddress(t)
	var server Server
	must(t, server.Start(t.Context(), address))
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	client, err := New(address)
	must(t, err)
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() { // it was killed, and ends soon
		if _, err := client.Version(t.Context()); err != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the child still runs after Close")
		}
	}
}

func TestCloseDuringStart(t *testing.T) {
	install(t, "hangs")
	var server Server
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error)
	go func() { started <- server.Start(ctx, freeAddress(t)) }()
	for server.mu.TryLock() { // until it is starting
		server.mu.Unlock()
		runtime.Gosched()
	}
	cancel()
	if err := server.Close(); err != nil || server.stop != nil {
		t.Errorf("after Close it runs, %v", err)
	}
	if err := <-started; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestServerExitsWhileStarting(t *testing.T) {
	install(t, "dies")
	err := new(Server).Start(t.Context(), freeAddress(t))
	e := (*provider.Error)(nil)
	if !errors.As(err, &e) || !strings.Contains(e.Text, "could not create the models") || strings.Contains(e.Text, "\n") {
		t.Errorf("got %v", err)
	}
}

func TestStartIsCancelled(t *testing.T) {
	install(t, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(Server).Start(ctx, freeAddress(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	install(t, "serves")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	for host, want := range map[string]string{
		"http://example.com":              "it is another machine",
		"box:abc":                         "the host is not an address",
		"http://" + taken.Addr().String(): "another program uses",
	} {
		if err := new(Server).Start(t.Context(), host); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Start(%q): %v, want %q", host, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	err = new(Server).Start(t.Context(), freeAddress(t))
	e := (*provider.Error)(nil)
	if !errors.As(err, &e) || !strings.Contains(e.Text, "not installed") || e.Hint != hintInstall {
		t.Errorf("without a program: %v", err)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
