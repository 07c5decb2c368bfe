package openai

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// server is an OpenAI-compatible server of the tests. It remembers the bodies of the chats that it was asked for.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

const oneModel = `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm","max_model_len":16384}]}`

// serve answers GET /v1/models with one model, and the first chat with the first handler, the second with the second,
// the others with the last.
func serve(t testing.TB, chats ...http.HandlerFunc) (*server, *Client) {
	t.Helper()
	s := &server{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", answers(200, "application/json", oneModel))
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.asked = append(s.asked, string(body))
		chat := chats[min(len(s.asked), len(chats))-1]
		s.mu.Unlock()
		chat(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, client(t, Options{BaseURL: s.URL})
}

// requests are the bodies so far.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func client(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := New(o)
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

func refuses(status int, body string) http.HandlerFunc {
	return answers(status, "application/json", body)
}

// streams sends events, each of which is written as its data.
func streams(events ...string) http.HandlerFunc {
	return answers(200, "text/event-stream; charset=utf-8", "data: "+strings.Join(events, "\n\ndata: ")+"\n\n")
}

// replays sends a recorded reply in pieces of so many bytes, each in a packet of its own; 0 sends it whole.
func replays(t testing.TB, file string, size int) http.HandlerFunc {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	kind := "text/event-stream"
	if strings.HasSuffix(file, ".json") {
		kind = "application/json"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for rest := text; len(rest) > 0; {
			n := len(rest)
			if size > 0 {
				n = min(n, size)
			}
			if _, err := w.Write(rest[:n]); err != nil {
				return // the client has gone
			}
			http.NewResponseController(w).Flush()
			rest = rest[n:]
		}
	}
}

// Pieces of streams that many tests need.
const (
	hello    = `{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}`
	finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	counted  = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	over     = `[DONE]`
)

var (
	question = provider.Request{Model: "m", Context: 4096, Messages: []provider.Message{{Role: provider.RoleUser, Text: "hi"}}}
	weather  = provider.ToolSpec{Name: "read_weather", Description: "The weather.", Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}
)

// withTools is a request with a tool.
func withTools() provider.Request {
	req := question
	req.Tools = []provider.ToolSpec{weather}
	return req
}

// ask makes one request and puts the reply together. Its calls are those of all chunks, its Text and Thinking the
// words.
func ask(ctx context.Context, c *Client, req provider.Request) (whole provider.Chunk, err error) {
	for chunk, err := range c.Chat(ctx, req) {
		if err != nil {
			return whole, err
		}
		whole.Text += chunk.Text
		whole.Thinking += chunk.Thinking
		whole.Calls = append(whole.Calls, chunk.Calls...)
		if chunk.Done {
			whole.Done, whole.Reason, whole.Usage = true, chunk.Reason, chunk.Usage
		}
	}
	return whole, nil
}

// through makes the client's requests go through t.
func (c *Client) through(t http.RoundTripper) { c.HTTP.Transport = t }

// certificate is that of a server, as a file has it.
func certificate(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}
