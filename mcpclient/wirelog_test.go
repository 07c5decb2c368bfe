package mcpclient

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/e2e/badserver"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/secret"
	"github.com/aloudchat/aloud/status"
	"github.com/mark3labs/mcp-go/server"
)

// safeBuffer may be written to and read by several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// logged keeps what is logged while the test runs.
func logged(t *testing.T) *safeBuffer {
	t.Helper()
	out, before := &safeBuffer{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return out
}

// TestTheLogHasTheWire runs servers of all kinds, each of which gives a secret away.
func TestTheLogHasTheWire(t *testing.T) {
	log := logged(t)
	mode, err := badserver.Find("gives-secrets")
	if err != nil {
		t.Fatal(err)
	}
	flood, err := badserver.Find("odd-progress")
	if err != nil {
		t.Fatal(err)
	}
	process := bad(t, mode, badserver.Stdio, t.TempDir())
	process.Name = "process"
	web := bad(t, mode, badserver.HTTP, "")
	web.Name = "web"
	stream := bad(t, flood, badserver.HTTP, "")
	stream.Name = "stream"
	old := server.NewSSEServer(workshop(t))
	listener := httptest.NewServer(old)
	t.Cleanup(func() {
		listener.CloseClientConnections()
		listener.Close()
	})
	board := &status.Board{}
	set := Start(t.Context(), []Server{process, web, stream, {Name: "local", Local: workshop(t)}, {Name: "sse", URL: listener.URL + "/sse", Transport: "sse"}}, Options{Board: board})
	defer set.Close()
	if err := set.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"process__use", "web__use", "stream__use", "local__echo", "sse__echo"} {
		_, _ = set.Call(t.Context(), name, json.RawMessage(`{"password":"open sesame","sent":"`+name+`"}`), func(Progress) {}) // two of them fail
	}
	set.Close()
	type record struct {
		Server, Direction, Message string
		Bytes                      int
	}
	seen := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		var r record
		if json.Unmarshal([]byte(line), &r) != nil {
			t.Errorf("no record: %s", line)
		}
		for _, words := range []string{"initialize", "tools/list", `"inputSchema"`, "__", "notifications/progress", "•••", "fine"} {
			if strings.Contains(r.Message, words) && r.Bytes > 0 {
				seen[r.Server+" "+r.Direction+" "+words] = true
			}
		}
	}
	for _, want := range []string{
		`process sent initialize`, `process received "inputSchema"`, `process sent __`, `process received •••`, `process sent •••`,
		`web sent initialize`, `web received "inputSchema"`, `web sent __`, `web received •••`,
		`stream received notifications/progress`, `stream received fine`,
		`local sent initialize`, `local received "inputSchema"`, `local sent __`, `sse sent tools/list`, `sse received "inputSchema"`,
	} {
		if !seen[want] {
			t.Errorf("the log does not have %q", want)
		}
	}
	for _, secret := range []string{badSecret, "open sesame"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has the secret %q", secret)
		}
	}
}

func TestWithoutALogNothingIsReadAlong(t *testing.T) {
	if newWireLog(Server{Name: "x"}) != nil {
		t.Error("without a log that wants to know, the wire is read")
	}
}

func TestALongMessageIsCut(t *testing.T) {
	log := logged(t)
	l := newWireLog(Server{Name: "x", Secrets: []string{badSecret}})
	l.line(sent, []byte(strings.Repeat("x", loggedBytes-3)+badSecret+strings.Repeat("y", 1<<20)))
	var r struct {
		Message string
		Bytes   int
	}
	if err := json.Unmarshal([]byte(log.String()), &r); err != nil || r.Bytes < 1<<20 || len(r.Message) > loggedBytes || strings.Contains(r.Message, "hun") {
		t.Errorf("%d bytes as %d, ending %q: %v", r.Bytes, len(r.Message), r.Message[max(0, len(r.Message)-20):], err)
	}
}

// talkative is a login whose token a server knows, and may repeat.
type talkative struct{ login.Login }

func (talkative) Secrets() []string { return []string{"a-token-of-a-login"} }

func TestTheTokenOfALoginIsNotLogged(t *testing.T) {
	log := logged(t)
	l := newWireLog(Server{Name: "x", Login: talkative{}})
	l.line(received, []byte(`{"text":"a-token-of-a-login has expired"}`))
	l.line(received, []byte(strings.Repeat("x", loggedBytes-3)+"a-token-of-a-login and so on"))
	if text := log.String(); strings.Contains(text, "a-t") || !strings.Contains(text, "has expired") {
		t.Errorf("the log has the token: %.300s … %s", text, text[max(0, len(text)-100):])
	}
}

// mcp-go reads a stream on one goroutine and closes it on another.
func TestAStreamMayBeClosedWhileItIsRead(t *testing.T) {
	logged(t)
	r, w := io.Pipe()
	body := &loggedBody{ReadCloser: r, log: newWireLog(Server{Name: "x"}), stream: true}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(io.Discard, body) })
	for range 100 {
		if _, err := io.WriteString(w, "data: {}\n\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	reading.Wait()
}

func FuzzNoSecretIsLogged(f *testing.F) {
	f.Add("before", "after", 4000)
	f.Add("", `"}`, 4090)
	f.Add(strings.Repeat("h", 100), "hunter", 4096)
	f.Fuzz(func(t *testing.T, before, after string, fill int) {
		l := &wireLog{secrets: secrets{secret.Hide([]string{badSecret}, nil)}}
		message := strings.Repeat("x", min(max(fill, 0), 10_000)) + before + badSecret + after
		got := l.mask([]byte(message)[:min(len(message), l.kept())], len(message))
		if strings.Contains(strings.ReplaceAll(message, badSecret, "•••"), badSecret) {
			return // put together by the masking itself
		}
		if strings.Contains(got, badSecret) || len(got) > loggedBytes {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	})
}

// BenchmarkCallProcessLogged is BenchmarkCallProcess with a log that has the wire.
func BenchmarkCallProcessLogged(b *testing.B) {
	before := slog.Default()
	defer slog.SetDefault(before)
	file, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	slog.SetDefault(slog.New(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug})))
	BenchmarkCallProcess(b)
}
