package servers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/e2e/badserver"
	"github.com/aloudchat/aloud/mcpclient"
)

// safeBuffer is safe for concurrent use.
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

// logged records the log during the test.
func logged(t *testing.T) *safeBuffer {
	t.Helper()
	out, before := &safeBuffer{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return out
}

// TestServerLogIsLogged calls a tool of a server that logs, which sends only what it was asked for.
func TestServerLogIsLogged(t *testing.T) {
	for _, revision := range []string{mcp.LATEST_LEGACY_PROTOCOL_VERSION, mcp.LATEST_PROTOCOL_VERSION} {
		synctest.Test(t, func(t *testing.T) {
			log := logged(t)
			s := server.NewMCPServer("library", "1", server.WithLogging())
			s.AddTool(mcp.NewTool("lend"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				for level, data := range map[mcp.LoggingLevel]any{
					mcp.LoggingLevelDebug: "a", mcp.LoggingLevelNotice: "b", mcp.LoggingLevelWarning: "c\x1b",
					mcp.LoggingLevelCritical: map[string]any{"book": "open sesame", "copies": 3},
				} {
					_ = s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "shelf", data))
				}
				return mcp.NewToolResultText("lent"), nil
			})
			set, _ := ready(t, mcpclient.Server{Name: "library", Local: inner{MCPServer: s}, Protocol: revision,
				Secrets: []string{"open sesame"}})
			synctest.Wait() // it was asked for its log
			call(t, set, "library__lend", `{}`)
			synctest.Wait()
			for _, want := range []string{
				`"level":"INFO","msg":"server log","server":"library","severity":"notice","logger":"shelf","text":"b"}`,
				`"level":"WARN","msg":"server log","server":"library","severity":"warning","logger":"shelf","text":"c\u001b"}`,
				`"level":"ERROR","msg":"server log","server":"library","severity":"critical","logger":"shelf",` +
					`"text":"{\"book\":\"•••\",\"copies\":3}"}`,
			} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("%s: the log does not have %s", revision, want)
				}
			}
			if n := strings.Count(log.String(), `"server log"`); n != 3 {
				t.Errorf("%s: %d messages are logged, want 3", revision, n)
			}
		})
	}
}

// TestServerLogIsNotRequestedWithoutLog checks that a server is asked for its log only if that is kept.
func TestServerLogIsNotRequestedWithoutLog(t *testing.T) {
	asked := make(chan struct{}, 1)
	hooks := &server.Hooks{}
	hooks.AddBeforeSetLevel(func(context.Context, any, *mcp.SetLevelRequest) { asked <- struct{}{} })
	ready(t, mcpclient.Server{Name: "library",
		Local: inner{MCPServer: server.NewMCPServer("library", "1", server.WithLogging(), server.WithHooks(hooks))}})
	if len(asked) > 0 {
		t.Error("the server was asked for its log")
	}
}

// deaf is a server that ignores requests for its log.
type deaf struct{ inner }

func (s deaf) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	heard, passOn := io.Pipe()
	defer heard.Close()
	go func() {
		defer passOn.Close()
		for lines := bufio.NewScanner(in); lines.Scan(); {
			if !bytes.Contains(lines.Bytes(), []byte(mcp.MethodSetLogLevel)) {
				_, _ = passOn.Write(append(lines.Bytes(), '\n'))
			}
		}
	}()
	return s.inner.Serve(ctx, heard, out)
}

func TestServerThatIgnoresRequestForLogStartsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logged(t)
		s := server.NewMCPServer("library", "1", server.WithLogging())
		began := time.Now()
		set, _ := ready(t, mcpclient.Server{Name: "library", Local: deaf{inner{MCPServer: s}}})
		set.Close()
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// TestWireLog runs servers of all kinds that echo a secret.
func TestWireLog(t *testing.T) {
	log := logged(t)
	mode, flood := find(t, "gives-secrets"), find(t, "odd-progress")
	process := bad(t, mode, badserver.Stdio, t.TempDir())
	process.Name = "process"
	web := bad(t, mode, badserver.HTTP, "")
	web.Name = "web"
	stream := bad(t, flood, badserver.HTTP, "")
	stream.Name = "stream"
	old := serveHTTP(t, server.NewSSEServer(workshop(t)))
	set, _ := ready(t, process, web, stream, mcpclient.Server{Name: "local", Local: inner{MCPServer: workshop(t)}},
		mcpclient.Server{Name: "sse", URL: old + "/sse", Transport: "sse"})
	for _, name := range []string{"process__use", "web__use", "stream__use", "local__echo", "sse__echo"} {
		// two of them fail
		arguments := json.RawMessage(`{"password":"open sesame","sent":"` + name + `"}`)
		_, _ = set.Call(t.Context(), mcpclient.Call{Tool: name, Arguments: arguments}, func(mcpclient.Progress) {})
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
		for _, words := range []string{"initialize", "tools/list", `"inputSchema"`, "__", "notifications/progress", "•••",
			"fine"} {
			if strings.Contains(r.Message, words) && r.Bytes > 0 {
				seen[r.Server+" "+r.Direction+" "+words] = true
			}
		}
	}
	for _, want := range []string{
		`process sent initialize`, `process received "inputSchema"`, `process sent __`, `process received •••`,
		`process sent •••`,
		`web sent initialize`, `web received "inputSchema"`, `web sent __`, `web received •••`,
		`stream received notifications/progress`, `stream received fine`,
		`local sent initialize`, `local received "inputSchema"`, `local sent __`, `sse sent tools/list`,
		`sse received "inputSchema"`,
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
