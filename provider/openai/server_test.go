package openai

import (
	"bytes"
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

// server is a fake server. It records the bodies of chat requests.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

const oneModel = `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm","max_model_len":16384}]}`

// serve starts a server with one model. The handlers answer chat requests in order. The last one answers all others.
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
		r.Body = io.NopCloser(bytes.NewReader(body))
		chat(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, client(t, Options{BaseURL: s.URL})
}

// requests returns the bodies so far.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func client(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := New(o)
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

func refuses(status int, body string) http.HandlerFunc {
	return answers(status, "application/json", body)
}

// streams returns a handler that sends events with the given data.
func streams(events ...string) http.HandlerFunc {
	return answers(200, "text/event-stream; charset=utf-8", "data: "+strings.Join(events, "\n\ndata: ")+"\n\n")
}

// replays returns a handler that sends a recorded reply in packets of size bytes, or whole if size is 0.
func replays(t testing.TB, file string, size int) http.HandlerFunc {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	must(t, err)
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
				return // the client has left
			}
			http.NewResponseController(w).Flush()
			rest = rest[n:]
		}
	}
}

// streamed returns an event with a delta.
func streamed(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }

// Events that many tests need.
const (
	hello    = `{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}`
	finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	counted  = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	over     = `[DONE]`
)

var (
	question = provider.Request{Model: "m", Context: 4096, Messages: []provider.Message{{Role: "user", Text: "hi"}}}
	weather  = provider.ToolSpec{Name: "read_weather", Description: "The weather.",
		Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}
)

// withTools returns a request with a tool.
func withTools() provider.Request {
	req := question
	req.Tools = []provider.ToolSpec{weather}
	return req
}

// ask sends one request and returns the whole reply as one chunk.
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

// through sets the transport of the client.
func (c *Client) through(t http.RoundTripper) { c.HTTP.Transport = t }

// certificate returns the certificate of a server in PEM form.
func certificate(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
