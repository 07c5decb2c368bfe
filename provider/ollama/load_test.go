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

// listing is a server whose list of what is in memory is the next of these texts for each look at it, the last one
// from then on.
func listing(looks ...string) (*http.ServeMux, *int) {
	looked := new(int)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, looks[min(*looked, len(looks)-1)])
		*looked++
	})
	return mux, looked
}

const loaded = `{"model":"m","response":"","done":true,"done_reason":"load"}`

func TestALoadThatIsCancelled(t *testing.T) {
	mux, _ := listing(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	mux.HandleFunc("POST /api/generate", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		cancel()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /api/chat", func(http.ResponseWriter, *http.Request) { t.Error("the question is asked") })
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

// The same model with another context is loaded again, and that counts as a load; what is in memory is told to load,
// too, but that does not.
func TestAnotherContextIsAnotherLoad(t *testing.T) {
	mux, _ := listing(`{"models":[{"name":"m:latest","context_length":2048}]}`)
	mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	c := clientOf(t, mux)
	const told = time.Millisecond // by the answer
	for i, counts := range []bool{true, false} {
		got, err := ask(t.Context(), c, question)
		if err != nil || len(got) != 1 || (got[0].Usage.Load > told) != counts {
			t.Errorf("request %d: got %+v, %v", i, got, err)
		}
	}
}

// A load that fails is told by the chat that needed it: it began to load, and the answer says how long that took.
func TestALoadThatFails(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused":                  answers(500, "application/json", `{"error":"model requires more system memory (9.9 GiB) than is available (3.1 GiB)"}`),
		"refused late":             answers(200, "application/json", `{"error":"model requires more system memory"}`),
		"an answer without an end": answers(200, "application/json", ``),
		"half an answer":           answers(200, "application/json", `{"done":`),
		"not done":                 answers(200, "application/json", `{"model":"m","done":false}`),
	} {
		mux, _ := listing(`{}`)
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
		if want := []provider.ChunkPhase{provider.PhaseLoading, provider.PhaseNone}; !slices.Equal(phases, want) || used.Load != time.Millisecond {
			t.Errorf("%s: the phases are %v, the load took %v", name, phases, used.Load)
		}
	}
}

// To load one model may put another out, so the next request has to ask.
func TestLoadingOneModelPutsAnotherInDoubt(t *testing.T) {
	mux, looked := listing(`{"models":[{"name":"m:latest","context_length":4096}]}`)
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
	c := clientOf(t, mux)
	small := question
	small.Model = "small"
	for i, step := range []struct {
		req    provider.Request
		looked int // at what is in memory, in all
	}{{question, 1}, {question, 1}, {small, 2}, {small, 2}, {question, 3}} {
		if _, err := ask(t.Context(), c, step.req); err != nil || *looked != step.looked {
			t.Errorf("request %d: the server was asked %d times what is in its memory, %v", i, *looked, err)
		}
	}
}
