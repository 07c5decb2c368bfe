package ollama

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestModelIsRemoved(t *testing.T) {
	var sent string
	mux := http.NewServeMux()
	mux.HandleFunc("DELETE /api/delete", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
	})
	if err := clientOf(t, mux).Remove(t.Context(), "m:8b"); err != nil || !strings.Contains(sent, `"model":"m:8b"`) {
		t.Errorf("the request was %s, %v", sent, err)
	}
	refusing := clientOf(t, answers(404, "application/json", `{"error":"model 'm:8b' not found"}`))
	if err := refusing.Remove(t.Context(), "m:8b"); err == nil || !strings.Contains(err.Error(), "m:8b") {
		t.Errorf("the error is %v", err)
	}
}

// Each request for a model that you keep says so, because a request with another context loads the model again.
func TestKeptModelStaysInMemoryThroughRequests(t *testing.T) {
	var requests []string
	record := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			requests = append(requests, r.URL.Path+" "+string(body))
			_, _ = io.WriteString(w, answer)
		}
	}
	mux := withLoaded(`{"models":[{"name":"m:latest","context_length":4096}]}`)
	mux.HandleFunc("POST /api/generate", record(loaded))
	mux.HandleFunc("POST /api/chat", record(lineDone))
	c := clientOf(t, mux)
	ask := func() {
		for _, err := range c.Chat(t.Context(), provider.Request{Model: "m", Context: 4096}) {
			must(t, err)
		}
	}
	must(t, c.Keep(t.Context(), "m:latest", true))
	ask()
	must(t, c.Keep(t.Context(), "m:latest", false))
	ask()
	if len(requests) != 4 {
		t.Fatalf("the requests are %q", requests)
	}
	for i, want := range [][]string{
		{"/api/generate", `"keep_alive":-1`, `"num_ctx":4096`}, {"/api/chat", `"keep_alive":-1`},
		{"/api/generate", `"keep_alive":"5m0s"`, `"num_ctx":4096`}, {"/api/chat", `"keep_alive":"5m0s"`},
	} {
		for _, text := range want {
			if !strings.Contains(requests[i], text) {
				t.Errorf("request %d is %s, without %s", i, requests[i], text)
			}
		}
	}
}

func TestModelThatCannotBeLoadedIsNotKept(t *testing.T) {
	var request string
	mux := withLoaded(`{}`)
	mux.HandleFunc("POST /api/generate", answers(500, "application/json", `{"error":"model requires more memory"}`))
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request = string(body)
		_, _ = io.WriteString(w, lineDone)
	})
	c := clientOf(t, mux)
	if err := c.Keep(t.Context(), "m", true); err == nil {
		t.Fatal("the model was loaded")
	}
	for _, err := range c.Chat(t.Context(), provider.Request{Model: "m", Context: 4096}) {
		must(t, err)
	}
	if strings.Contains(request, "keep_alive") {
		t.Errorf("the request is %s", request)
	}
}

// A model that was kept by an earlier run stays kept when a request with another context loads it again.
func TestModelKeptBeforeStartStaysKept(t *testing.T) {
	for expires, keeps := range map[string]bool{"2318-01-01T00:00:00Z": true, "2026-01-01T00:00:00Z": false, "": false} {
		var request string
		mux := withLoaded(`{"models":[{"name":"m:latest","context_length":4096,"expires_at":"` + expires + `"}]}`)
		mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			request = string(body)
			_, _ = io.WriteString(w, lineDone)
		})
		c := clientOf(t, mux)
		if got := c.LoadedContext(t.Context(), "m"); got != 4096 {
			t.Fatalf("the context in memory is %d", got)
		}
		for _, err := range c.Chat(t.Context(), provider.Request{Model: "m", Context: 8192}) {
			must(t, err)
		}
		if strings.Contains(request, `"keep_alive":-1`) != keeps || strings.Contains(request, "keep_alive") != keeps {
			t.Errorf("expires at %q: the request is %s", expires, request)
		}
	}
}

func TestThinkingLevelsAreSentAsWords(t *testing.T) {
	c := clientOf(t, http.NotFoundHandler())
	for think, want := range map[provider.Think]any{
		provider.ThinkHigh: provider.ThinkHigh, provider.ThinkOn: true, provider.ThinkOff: false, provider.ThinkAuto: nil,
	} {
		if got := c.chatRequest(provider.Request{Think: think}).Think; got != want {
			t.Errorf("%q is sent as %v", think, got)
		}
	}
}
