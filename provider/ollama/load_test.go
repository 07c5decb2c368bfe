package ollama

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
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
	if err != nil || len(got) != 1 || got[0].Usage.Load <= told {
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
			if err != nil {
				t.Fatal(err)
			}
			phases, used = append(phases, chunk.Phase), chunk.Usage
		}
		want := []provider.ChunkPhase{provider.PhaseLoading, provider.PhaseNone}
		if !slices.Equal(phases, want) || used.Load != time.Millisecond {
			t.Errorf("%s: the phases are %v, the load took %v", name, phases, used.Load)
		}
	}
}
