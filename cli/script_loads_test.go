package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// loadServer is an Ollama server that counts how often it loads a model for another context window. Its tokens are two
// bytes long, so that aloud estimates too few. It unloads the model after a message with "unload".
type loadServer struct {
	mu      sync.Mutex
	context int // of the loaded model; 0 if it is not loaded
	loads   int
	took    int64 // nanoseconds of the last load, reported once
}

func (s *loadServer) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.context == 0 {
			io.WriteString(w, `{"models":[]}`)
			return
		}
		fmt.Fprintf(w, `{"models":[{"name":"m:latest","context_length":%d,"expires_at":"2126-11-20T10:05:00Z"}]}`, s.context)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"capabilities":["completion"],"model_info":{"general.architecture":"llama",`+
			`"llama.context_length":32768}}`)
	})
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		s.load(r)
		io.WriteString(w, `{"done":true,"done_reason":"load"}`)
	})
	mux.HandleFunc("POST /api/chat", s.chat)
}

// load loads the model for the context window of a request, and returns the request.
func (s *loadServer) load(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body) // a partial body is not valid JSON
	var ask struct {
		Options struct {
			Context int `json:"num_ctx"`
		}
	}
	_ = json.Unmarshal(body, &ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ask.Options.Context != s.context {
		s.context, s.took = ask.Options.Context, 9e9
		s.loads++
	}
	return body
}

func (s *loadServer) chat(w http.ResponseWriter, r *http.Request) {
	body := s.load(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := len(body) / 2
	if tokens > s.context && bytes.Contains(body, []byte("word")) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":"the input length exceeds the context length"}`)
		return
	}
	say(w, fmt.Sprintf("loads: %d", s.loads))
	fmt.Fprintf(w, `{"message":{"role":"assistant"},"done":true,"done_reason":"stop","eval_count":2,`+
		`"prompt_eval_count":%d,"load_duration":%d}`+"\n", tokens, s.took)
	s.took = 0
	if strings.Contains(string(body), "unload") {
		s.context = 0
	}
}
