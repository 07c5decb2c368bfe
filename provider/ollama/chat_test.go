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
	lineHello = `{"model":"m","created_at":"2026-11-20T10:00:00.123456Z","message":{"role":"assistant","content":"Hello"},"done":false}` + "\n"
	lineDone  = `{"model":"m","created_at":"2026-11-20T10:00:00.123456Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` +
		`"total_duration":9,"load_duration":1000000,"prompt_eval_count":408,"prompt_eval_duration":2000000,"eval_count":10,"eval_duration":3000000}` + "\n"
)

// serve runs a server whose model is in memory and whose chat is answered by chat, and returns a client for it.
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.HTTP.CloseIdleConnections)
	return c
}

// answers writes status, content type and body.
func answers(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func streams(body string) http.HandlerFunc { return answers(200, "application/x-ndjson", body) }

var question = provider.Request{Model: "m", Context: 4096, Messages: []provider.Message{{Role: provider.RoleUser, Text: "hi"}}}

// ask makes one request and collects the reply. Phases are left out.
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

func TestAnAnswerStreams(t *testing.T) {
	c := serve(t, streams(
		`{"message":{"role":"assistant","content":"","thinking":"The"},"done":false}`+"\n"+
			`{"message":{"role":"assistant","content":"","thinking":" user\n"},"done":false}`+"\n"+
			lineHello+
			`{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"get_weather","arguments":{"days":2,"city":"Paris"}}}]},"done":false}`+"\n"+
			`{"message":{"role":"assistant","content":""},"done":false}`+"\n"+
			lineDone))
	got, err := ask(t.Context(), c, question)
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.Chunk{
		{Thinking: "The"},
		{Thinking: " user\n"},
		{Text: "Hello"},
		{Calls: []provider.Call{{ID: "call_1", Name: "get_weather", Arguments: json.RawMessage(`{"days":2,"city":"Paris"}`)}}},
		{Done: true, Reason: "stop", Usage: provider.Usage{PromptTokens: 408, AnswerTokens: 10,
			Load: time.Millisecond, Prompt: 2 * time.Millisecond, Answer: 3 * time.Millisecond}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n\t%v\nwant\n\t%v", got, want)
	}
}

// What servers and the proxies in front of them do wrong, and the sentence that you read.
func TestEveryFailureIsOneSentenceWithANextStep(t *testing.T) {
	const json, ndjson, html, plain = "application/json", "application/x-ndjson", "text/html; charset=utf-8", "text/plain"
	for _, tt := range []struct {
		name       string
		status     int
		kind, body string
		want       provider.Kind
		text, hint string
	}{
		{"missing model", 404, json, `{"error":"model 'nope' not found"}`, provider.KindMissing, `model "nope" is not installed`, "ollama pull nope"},
		{"missing model, old words", 404, json, `{"error":"model \"nope\" not found, try pulling it first"}`, provider.KindMissing, `model "nope" is not installed`, "ollama pull nope"},
		{"no tools", 400, json, `{"error":"registry.ollama.ai/library/tiny-plain:latest does not support tools"}`, provider.KindNoTools, `the model does not support tools`, "choose a model"},
		{"no thinking", 400, json, `{"error":"\"tiny-plain\" does not support thinking"}`, provider.KindNoThinking, `does not support thinking`, "--think auto"},
		{"think value", 400, json, `{"error":"think value \"high\" is not supported for this model"}`, provider.KindNoThinking, "think setting", "--think auto"},
		{"too long", 400, json, `{"error":"the input length exceeds the context length"}`, provider.KindTooLong, "does not fit in the context window", "larger context"},
		{"option", 500, json, `{"error":"option \"temperature\" must be of type float32"}`, provider.KindFailed, `must be of type float32`, "log"},
		{"memory", 500, json, `{"error":"model requires more system memory (9.9 GiB) than is available (3.1 GiB)"}`, provider.KindFailed, "more system memory", "smaller"},
		{"busy", 503, json, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, provider.KindFailed, "queue of the Ollama server is full", "in a moment"},
		{"sign in", 401, json, `{"error":"unauthorized","signin_url":"https://ollama.com/connect?x=1"}`, provider.KindFailed, "requires you to sign in", "https://ollama.com/connect?x=1"},
		{"sign in, empty", 401, json, ``, provider.KindFailed, "requires you to sign in", "ollama signin"},
		{"500, empty body", 500, json, ``, provider.KindFailed, "returned 500 Internal Server Error without a reason", "log"},
		{"404, empty body", 404, json, ``, provider.KindFailed, "returned 404 Not Found without a reason", "log"},
		{"no name of a model", 400, json, `{"error":"invalid model name"}`, provider.KindMissing, "invalid model name", "qwen3:8b"},
		{"404 of another program", 404, plain, "404 page not found\n", provider.KindFailed, "returned 404 Not Found: 404 page not found", "host"},
		{"502 page", 502, html, "<html>\n<h1>502 Bad Gateway</h1></html>", provider.KindFailed, "returned a web page instead of an API response (502 Bad Gateway)", "host"},
		{"200 page", 200, html, "<!doctype html><html>hello</html>", provider.KindFailed, "returned a web page instead of an API response", "host"},
		{"200 page that hides", 200, ndjson, "<html>hello</html>", provider.KindFailed, "returned a web page instead of an API response", "host"},
		{"not JSON", 200, ndjson, "hello\n", provider.KindFailed, "cannot parse the response of the server", "host"},
		{"another program's JSON", 200, ndjson, `["hello"]` + "\n", provider.KindFailed, "cannot parse", "host"},
		{"content that is no text", 200, ndjson, `{"message":{"content":[1]}}` + "\n", provider.KindFailed, "cannot parse", "host"},
		{"error in the stream", 200, ndjson, lineHello + `{"error":"an error was encountered while running the model: unexpected EOF"}` + "\n", provider.KindBroken, "an error was encountered", "log"},
		{"error object", 200, ndjson, `{"error":{"message":"quota exceeded","type":"x"}}` + "\n", provider.KindFailed, "returned an error: quota exceeded", "log"},
		{"error list", 200, ndjson, `{"errors":[{"message":"no such route"}]}` + "\n", provider.KindFailed, "returned an error: no such route", "log"},
		{"error under another key", 200, ndjson, `{"detail":"Not Found"}` + "\n", provider.KindFailed, "returned an error: Not Found", "log"},
		{"error as the message", 200, ndjson, `{"message":"upstream timed out"}` + "\n", provider.KindFailed, "returned an error: upstream timed out", "log"},
		{"an error that would obey a terminal", 500, json, `{"error":"\u001b]0;gone\u0007\nsecond line"}`, provider.KindFailed, "second line", "log"},
		{"no done", 200, ndjson, lineHello, provider.KindBroken, "ended early", "try again"},
		{"nothing", 200, ndjson, ``, provider.KindBroken, "ended early", "try again"},
		{"half a line", 200, ndjson, lineHello + lineDone[:60], provider.KindBroken, "lost the connection", "is running"},
		{"a line without end", 200, ndjson, `{"message":{"content":"` + strings.Repeat("x", provider.MostLine) + `"}}` + "\n", provider.KindTooLarge, "a line larger than 16 MB", "log"},
		{"moved", 301, plain, ``, provider.KindFailed, `redirects to "https://elsewhere/"`, "set the host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if tt.status == 301 {
					w.Header().Set("Location", "https://elsewhere/")
				}
				answers(tt.status, tt.kind, tt.body)(w, r)
			})
			_, err := ask(t.Context(), c, question)
			e := (*provider.Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a *provider.Error", err)
			}
			if e.Kind != tt.want || !strings.Contains(e.Text, tt.text) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got kind %d %q, hint %q; want kind %d %q, hint %q", e.Kind, e.Text, e.Hint, tt.want, tt.text, tt.hint)
			}
			if strings.ContainsAny(e.Text+e.Hint, "\n\x1b\a") {
				t.Errorf("%q, hint %q is not one safe line", e.Text, e.Hint)
			}
		})
	}
}

func TestWhatIsHarmlessIsPassedOver(t *testing.T) {
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

func TestALongLineAndInvalidUTF8Arrive(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got, err := ask(t.Context(), serve(t, streams(`{"message":{"content":"`+long+`"}}`+"\n"+lineDone)), question)
	if err != nil || text(got) != long {
		t.Errorf("a line of 3 MB arrives with %d bytes, %v", len(text(got)), err)
	}
	got, err = ask(t.Context(), serve(t, streams("{\"message\":{\"content\":\"a\xffb\xed\xa0\x80\"}}\n"+lineDone)), question)
	if err != nil || text(got) != "a\uFFFDb\uFFFD\uFFFD\uFFFD" {
		t.Errorf("got %q, %v", text(got), err)
	}
}

func TestTwoCallsWithoutIDsGetTheirOwn(t *testing.T) {
	call := `{"message":{"tool_calls":[{"function":{"name":"t"}}]}}` + "\n"
	got, err := ask(t.Context(), serve(t, streams(call+call+lineDone)), question)
	if err != nil || len(got) != 3 {
		t.Fatalf("got %v, %v", got, err)
	}
	a, b := got[0].Calls[0], got[1].Calls[0]
	if a.ID == "" || a.ID == b.ID {
		t.Errorf("the ids are %q and %q", a.ID, b.ID)
	}
}

// drop cuts the connection of w without ending the response.
func drop(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	conn.Close()
}

func TestABrokenConnection(t *testing.T) {
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
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c, err := New(address)
	if err != nil {
		t.Fatal(err)
	}
	down := func() *provider.Error {
		t.Helper()
		_, err := ask(t.Context(), c, question)
		e := (*provider.Error)(nil)
		if !errors.As(err, &e) || e.Kind != provider.KindUnavailable {
			t.Fatalf("got %v", err)
		}
		return e
	}
	want := fmt.Sprintf(`cannot reach the Ollama server at "http://%s"`, address)
	install(t, "serves")
	if e := down(); e.Text != want || e.Hint != "start it with: ollama serve" {
		t.Errorf("got %q, hint %q", e.Text, e.Hint)
	}
	t.Setenv("PATH", t.TempDir())
	if e := down(); e.Text != want+", and Ollama is not installed" || e.Hint != "install it from https://ollama.com/download" || !errors.Is(e, exec.ErrNotFound) {
		t.Errorf("where it is not installed, got %q, hint %q, %v", e.Text, e.Hint, e.Err)
	}
}

// A server sees within the request that its client is gone.
func TestCancellingAndLeavingCloseTheConnection(t *testing.T) {
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

func TestADeadlineIsTheContextsOwnError(t *testing.T) {
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := ask(ctx, c, question); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestThePhaseIsWhatTheServerSays(t *testing.T) {
	for _, tt := range []struct {
		name, ps, model string
		want            provider.ChunkPhase
	}{
		{"in memory", `{"models":[{"name":"m:latest","context_length":4096}]}`, "m", provider.PhaseReading},
		{"an old server without context lengths", `{"models":[{"name":"m:latest"}]}`, "m", provider.PhaseReading},
		{"another context", `{"models":[{"name":"m:latest","context_length":2048}]}`, "m", provider.PhaseLoading},
		{"another model", `{"models":[{"name":"n:latest","context_length":4096}]}`, "m", provider.PhaseLoading},
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
			loads := 0
			mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
				loads++
				answers(200, "application/json", `{"done":true,"done_reason":"load"}`)(w, r)
			})
			req := question
			req.Model = tt.model
			var phases []provider.ChunkPhase
			for chunk, err := range clientOf(t, mux).Chat(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
				if chunk.Phase != provider.PhaseNone {
					phases = append(phases, chunk.Phase)
				}
			}
			want := []provider.ChunkPhase{tt.want}
			switch tt.want {
			case provider.PhaseNone:
				want = nil
			case provider.PhaseLoading:
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

// remoteIsFar shows every model, of which "far" runs on another server.
func remoteIsFar(w http.ResponseWriter, r *http.Request) {
	var request struct{ Model string }
	text := `{}`
	if json.NewDecoder(r.Body).Decode(&request) == nil && request.Model == "far" {
		text = `{"remote_model":"m","remote_host":"https://ollama.com:443"}`
	}
	io.WriteString(w, text)
}

func TestAContextBeyondTheTrainedOneIsInMemory(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", answers(200, "application/json", `{"model_info":{"general.architecture":"llama","llama.context_length":2048}}`))
	mux.HandleFunc("GET /api/ps", answers(200, "application/json", `{"models":[{"name":"m:latest","context_length":2048}]}`))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	c := clientOf(t, mux)
	if _, err := c.Describe(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	for chunk, err := range c.Chat(t.Context(), question) {
		if err != nil || chunk.Phase != provider.PhaseReading {
			t.Errorf("the first word of the server is %+v, %v", chunk, err)
		}
		break
	}
}
