package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// modelsServer is an Ollama server that has these models. The answer of each is its name.
type modelsServer []string

func (s modelsServer) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"models":[]}`) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		var listed []string
		for _, name := range s {
			listed = append(listed, fmt.Sprintf(`{"name":"%s:latest","digest":"digest of %s"}`, name, name))
		}
		fmt.Fprintf(w, `{"models":[%s]}`, strings.Join(listed, ","))
	})
	mux.HandleFunc("POST /api/show", s.having(func(w http.ResponseWriter, _ string) {
		io.WriteString(w, `{"capabilities":["completion"],"model_info":{"general.architecture":"llama",`+
			`"llama.context_length":8192}}`)
	}))
	mux.HandleFunc("POST /api/generate", s.having(func(w http.ResponseWriter, _ string) {
		io.WriteString(w, `{"done":true,"done_reason":"load"}`)
	}))
	mux.HandleFunc("POST /api/chat", s.having(func(w http.ResponseWriter, name string) {
		say(w, "I am "+name)
		done(w)
	}))
}

// having returns a handler that refuses requests for other models.
func (s modelsServer) having(handle func(w http.ResponseWriter, name string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if name := strings.TrimSuffix(ask.Model, ":latest"); slices.Contains(s, name) {
			handle(w, name)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"error":"model '%s' not found"}`, ask.Model)
	}
}
