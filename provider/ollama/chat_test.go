package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	lineHello = `{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}` + "\n"
	lineDone  = `{"model":"m","created_at":"2026-11-20T10:00:00.123456Z","message":{"role":"assistant","content":""},` +
		`"done":true,"done_reason":"stop","total_duration":9,"load_duration":1000000,"prompt_eval_count":408,` +
		`"prompt_eval_duration":2000000,"eval_count":10,"eval_duration":3000000}` + "\n"
)

// serve returns a client for a server with a loaded model and the given chat handler.
func serve(t testing.TB, chat http.HandlerFunc) *Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096,"size":10,"size_vram":5}]}`)
	})
	mux.HandleFunc("POST /api/chat", chat)
	return clientOf(t, mux)
}

func clientOf(t testing.TB, h http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := New(server.URL)
	must(t, err)
	t.Cleanup(c.HTTP.CloseIdleConnections)
	return c
}

// answers returns a handler that writes status, content type and body.
func answers(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func streams(body string) http.HandlerFunc { return answers(200, "application/x-ndjson", body) }

var question = provider.Request{Model: "m", Context: 4096, Messages: []provider.Message{{Role: "user", Text: "hi"}}}

// ask sends one request and returns the chunks of the reply without phases.
func ask(ctx context.Context, c *Client, req provider.Request) (chunks []provider.Chunk, err error) {
	for chunk, err := range c.Chat(ctx, req) {
		if err != nil {
			return chunks, err
		}
		if chunk.Phase == provider.PhaseNone {
			chunks = append(chunks, chunk)
		}
	}
	return chunks, nil
}

func text(chunks []provider.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString(c.Text)
	}
	return b.String()
}

func TestStream(t *testing.T) {
	c := serve(t, streams(
		`{"message":{"role":"assistant","content":"","thinking":"The"},"done":false}`+"\n"+
			`{"message":{"role":"assistant","content":"","thinking":" user\n"},"done":false}`+"\n"+
			lineHello+
			`{"message":{"content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"t",`+
			`"arguments":{"days":2,"city":"Paris"}}}]},"done":false}`+"\n"+
			`{"message":{"role":"assistant","content":""},"done":false}`+"\n"+
			lineDone))
	got, err := ask(t.Context(), c, question)
	must(t, err)
	want := []provider.Chunk{
		{Thinking: "The"},
		{Thinking: " user\n"},
		{Text: "Hello"},
		{Calls: []provider.Call{{ID: "call_1", Name: "t", Arguments: json.RawMessage(`{"days":2,"city":"Paris"}`)}}},
		{Done: true, Reason: "stop", Usage: provider.Usage{PromptTokens: 408, AnswerTokens: 10,
			Prompt: 2 * time.Millisecond, Answer: 3 * time.Millisecond}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n\t%v\nwant\n\t%v", got, want)
	}
}

func TestHarmlessOddities(t *testing.T) {
	for name, body := range map[string]string{
		"blank lines of a proxy":   "\n\r\n" + lineHello + "\n \n" + lineDone,
		"no newline at the end":    lineHello + strings.TrimSpace(lineDone),
		"lines after the last one": lineHello + lineDone + lineHello + "garbage",
		"a line that says nothing": `{"new":"thing"}` + "\n" + lineHello + lineDone,
		"carriage returns":         strings.ReplaceAll(lineHello+lineDone, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ask(t.Context(), serve(t, streams(body)), question)
			if err != nil || text(got) != "Hello" || !got[len(got)-1].Done {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestLongLineAndInvalidUTF8(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got, err := ask(t.Context(), serve(t, streams(`{"message":{"content":"`+long+`"}}`+"\n"+lineDone)), question)
	if err != nil || text(got) != long {
		t.Errorf("a line of 3 MB arrives with %d bytes, %v", len(text(got)), err)
	}
	c := serve(t, streams("{\"message\":{\"content\":\"a\xffb\xed\xa0\x80\"}}\n"+lineDone))
	got, err = ask(t.Context(), c, question)
	if err != nil || text(got) != "a\uFFFDb\uFFFD\uFFFD\uFFFD" {
		t.Errorf("got %q, %v", text(got), err)
	}
}

func TestCallsWithoutIDs(t *testing.T) {
	call := `{"message":{"tool_calls":[{"function":{"name":"t"}}]}}` + "\n"
	got, err := ask(t.Context(), serve(t, streams(call+call+lineDone)), question)
	if err != nil || len(got) != 3 || len(got[0].Calls) != 1 || len(got[1].Calls) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// drop closes the connection without ending the response.
func drop(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	conn.Close()
}

func TestBrokenConnection(t *testing.T) {
	for name, chat := range map[string]http.HandlerFunc{
		"before the answer": func(w http.ResponseWriter, _ *http.Request) { drop(t, w) },
		"in the answer": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, lineHello)
			http.NewResponseController(w).Flush()
			drop(t, w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t.Context(), serve(t, chat), question)
			if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != provider.KindBroken || e.Hint == "" {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := "http://" + listener.Addr().String()
	listener.Close()
	c, err := New(address)
	must(t, err)
	down := func() *provider.Error {
		t.Helper()
		_, err := ask(t.Context(), c, question)
		e := (*provider.Error)(nil)
		if !errors.As(err, &e) || e.Kind != provider.KindUnavailable {
			t.Fatalf("got %v", err)
		}
		return e
	}
	want := fmt.Sprintf(`cannot reach the Ollama server at %q`, address)
	install(t, "serves")
	if e := down(); e.Text != want || e.Hint != "start it with: ollama serve" {
		t.Errorf("got %q, hint %q", e.Text, e.Hint)
	}
	t.Setenv("PATH", t.TempDir())
	e := down()
	if e.Text != want+", and Ollama is not installed" || e.Hint != hintInstall || !errors.Is(e, exec.ErrNotFound) {
		t.Errorf("not installed: got %q, hint %q, %v", e.Text, e.Hint, e.Err)
	}
}

func TestCancelAndLeaveCloseTheConnection(t *testing.T) {
	for _, how := range []string{"cancel", "leave", "cancel and leave"} {
		t.Run(how, func(t *testing.T) {
			gone := make(chan struct{})
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, lineHello)
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
				close(gone)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			for chunk, err := range c.Chat(ctx, question) {
				last = err
				if chunk.Text == "" {
					continue
				}
				if how != "leave" {
					cancel()
				}
				if how != "cancel" {
					break
				}
			}
			<-gone
			if how == "cancel" && !errors.Is(last, context.Canceled) {
				t.Errorf("got %v, want context.Canceled itself", last)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	for _, tt := range []struct {
		name, ps, model string
		want            provider.ChunkPhase
	}{
		{"in memory", `{"models":[{"name":"m:latest","context_length":4096}]}`, "m", provider.PhaseReading},
		{"an old server without context lengths", `{"models":[{"name":"m:latest"}]}`, "m", provider.PhaseReading},
		{"another context", `{"models":[{"name":"m:latest","context_length":2048}]}`, "m", provider.PhaseLoading},
		{"another model", `{"models":[{"name":"n:latest","digest":"n","context_length":4096}]}`, "m", provider.PhaseLoading},
		{"nothing", `{"models":[]}`, "hf.co/x/m:q4", provider.PhaseLoading},
		{"a server that does not know", `nonsense`, "m", provider.PhaseNone},
		{"a model that runs elsewhere", `{"models":[]}`, "far", provider.PhaseNone},
		{"a model whose name only ends so", `{"models":[]}`, "storm-cloud", provider.PhaseLoading},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /api/ps", answers(200, "application/json", tt.ps))
			mux.HandleFunc("POST /api/chat", streams(lineHello+lineDone))
			mux.HandleFunc("POST /api/show", remoteIsFar)
			mux.HandleFunc("GET /api/tags", answers(200, "application/json", `{"models":[{"name":"m:latest","digest":"m",`+
				`"details":{"family":"f"}},{"name":"n:latest","digest":"n"}]}`))
			loads := 0
			mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
				loads++
				answers(200, "application/json", `{"done":true,"done_reason":"load"}`)(w, r)
			})
			req := question
			req.Model = tt.model
			var phases []provider.ChunkPhase
			c := clientOf(t, mux)
			for range 2 {
				for chunk, err := range c.Chat(t.Context(), req) {
					must(t, err)
					if chunk.Phase != provider.PhaseNone {
						phases = append(phases, chunk.Phase)
					}
				}
			}
			want := []provider.ChunkPhase{tt.want, provider.PhaseReading}
			switch tt.want {
			case provider.PhaseNone:
				want = nil
			case provider.PhaseLoading: // in memory after the first reply
				want = append(want, provider.PhaseReading)
			}
			if told := tt.want == provider.PhaseLoading; told != (loads == 1) {
				t.Errorf("loaded %d times", loads)
			}
			if !slices.Equal(phases, want) {
				t.Errorf("phases %v, want %v", phases, want)
			}
		})
	}
}

// remoteIsFar describes every model. The model "far" runs on another server.
func remoteIsFar(w http.ResponseWriter, r *http.Request) {
	var request struct{ Model string }
	text := `{}`
	if json.NewDecoder(r.Body).Decode(&request) == nil && request.Model == "far" {
		text = `{"remote_model":"m","remote_host":"https://ollama.com:443"}`
	}
	io.WriteString(w, text)
}

func TestContextAboveTheTrainedContext(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", streams(`{"model_info":{"general.architecture":"a","a.context_length":2048}}`))
	mux.HandleFunc("GET /api/ps", streams(`{"models":[{"name":"m:latest","context_length":2048}]}`))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	c := clientOf(t, mux)
	if _, err := c.Describe(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	for chunk, err := range c.Chat(t.Context(), question) {
		if err != nil || chunk.Phase != provider.PhaseReading {
			t.Errorf("the first chunk is %+v, %v", chunk, err)
		}
		break
	}
}
