package ollama

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
)

// withLoaded returns a server with the given list of loaded models.
func withLoaded(list string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", answers(200, "application/json", list))
	return mux
}

const loaded = `{"model":"m","response":"","done":true,"done_reason":"load"}`

func TestCancelledLoad(t *testing.T) {
	mux := withLoaded(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	mux.HandleFunc("POST /api/generate", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices the cancel
		cancel()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /api/chat", func(http.ResponseWriter, *http.Request) { t.Error("unexpected chat request") })
	var chunks []provider.Chunk
	var last error
	for chunk, err := range clientOf(t, mux).Chat(ctx, question) {
		if last = err; err == nil {
			chunks = append(chunks, chunk)
		}
	}
	if len(chunks) != 1 || chunks[0].Phase != provider.PhaseLoading || !errors.Is(last, context.Canceled) {
		t.Errorf("got %+v, then %v", chunks, last)
	}
}

// TestReloadWithAnotherContext checks that the time of the load is measured.
func TestReloadWithAnotherContext(t *testing.T) {
	mux := withLoaded(`{"models":[{"name":"m:latest","context_length":2048}]}`)
	mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	const told = time.Millisecond // by the answer
	got, err := ask(t.Context(), clientOf(t, mux), question)
	if err != nil || len(got) != 1 || got[0].Usage.Load < told {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestFailedLoad checks that the chat request continues.
func TestFailedLoad(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused":                  answers(500, "application/json", `{"error":"model requires more system memory"}`),
		"refused late":             answers(200, "application/json", `{"error":"model requires more system memory"}`),
		"an answer without an end": answers(200, "application/json", ``),
		"half an answer":           answers(200, "application/json", `{"done":`),
		"not done":                 answers(200, "application/json", `{"model":"m","done":false}`),
	} {
		mux := withLoaded(`{}`)
		mux.HandleFunc("POST /api/generate", answer)
		mux.HandleFunc("POST /api/chat", streams(lineDone))
		var phases []provider.ChunkPhase
		var used provider.Usage
		for chunk, err := range clientOf(t, mux).Chat(t.Context(), question) {
			must(t, err)
			phases, used = append(phases, chunk.Phase), chunk.Usage
		}
		want := []provider.ChunkPhase{provider.PhaseLoading, provider.PhaseNone}
		if !slices.Equal(phases, want) || used.Load != time.Millisecond {
			t.Errorf("%s: the phases are %v, the load took %v", name, phases, used.Load)
		}
	}
}

// TestSlowListOfLoadedModels checks that a server whose list of loaded models takes too long is asked once.
func TestSlowListOfLoadedModels(t *testing.T) {
	var asked atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /api/show", answers(200, "application/json", `{}`))
	mux.HandleFunc("GET /api/tags", answers(200, "application/json", `{"models":[{"name":"m:latest","digest":"one"}]}`))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	c := clientOf(t, mux)
	c.Pace = pace.Open(filepath.Join(t.TempDir(), "models.json"), "the server")
	c.Pace.NoteInfo("m", "one", provider.Info{Name: "m"})
	if _, err := c.Describe(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	c.LoadedContext(t.Context(), "m")
	for range 2 {
		if _, err := ask(t.Context(), c, question); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}
