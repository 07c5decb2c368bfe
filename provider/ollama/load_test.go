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

// The same model with another context is loaded again, and that counts as a load.
func TestAnotherContextIsAnotherLoad(t *testing.T) {
	mux, _ := listing(`{"models":[{"name":"m:latest","context_length":2048}]}`)
	mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	const told = time.Millisecond // by the answer
	got, err := ask(t.Context(), clientOf(t, mux), question)
	if err != nil || len(got) != 1 || got[0].Usage.Load <= told {
		t.Errorf("got %+v, %v", got, err)
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
