package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// listing is a server whose list of what is in memory is the next of these texts for each look at it, the last one from then on.
func listing(looks ...string) (*http.ServeMux, *int) {
	looked := new(int)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, looks[min(*looked, len(looks)-1)])
		*looked++
	})
	return mux, looked
}

// expires is the list with the model m, that will be unloaded at a time.
func expires(at string) string {
	return fmt.Sprintf(`{"models":[{"name":"m:latest","context_length":4096,"size":10,"expires_at":%q}]}`, at)
}

const loaded = `{"model":"m","response":"","done":true,"done_reason":"load"}`

func TestALoadThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   provider.Kind
	}{
		"no such model":            {404, `{"error":"model 'm' not found"}`, provider.KindMissing},
		"no room":                  {500, `{"error":"model requires more system memory (9.9 GiB) than is available (3.1 GiB)"}`, provider.KindFailed},
		"no room, said late":       {200, `{"error":"model requires more system memory"}`, provider.KindFailed},
		"an answer without an end": {200, ``, provider.KindBroken},
		"half an answer":           {200, `{"done":`, provider.KindBroken},
		"not done":                 {200, `{"model":"m","done":false}`, provider.KindFailed},
	} {
		t.Run(name, func(t *testing.T) {
			mux, _ := listing(`{}`)
			mux.HandleFunc("POST /api/generate", answers(tt.status, "application/json", tt.body))
			mux.HandleFunc("POST /api/chat", streams(lineDone))
			c := clientOf(t, mux)
			var told *provider.Error
			if err := c.load(t.Context(), "m", 4096); !errors.As(err, &told) || told.Kind != tt.kind {
				t.Errorf("got %v", err)
			}
			// What a chat says of it is what the chat itself saw: it began to load, and the answer tells how long that took.
			var phases []provider.ChunkPhase
			var used provider.Usage
			for chunk, err := range c.Chat(t.Context(), question) {
				if err != nil {
					t.Fatal(err)
				}
				phases = append(phases, chunk.Phase)
				used = chunk.Usage
			}
			if want := []provider.ChunkPhase{provider.PhaseLoading, provider.PhaseNone}; !slices.Equal(phases, want) || used.Load != time.Millisecond {
				t.Errorf("the phases are %v, the load took %v", phases, used.Load)
			}
		})
	}
}

// Whoever does not want to wait for a model any longer has measured nothing.
func TestALoadThatIsCancelled(t *testing.T) {
	mux, _ := listing(`{}`)
	asked, answered := make(chan struct{}, 2), 0
	mux.HandleFunc("POST /api/generate", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		asked <- struct{}{}
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		answered++
		streams(lineDone)(w, r)
	})
	c := clientOf(t, mux)
	cancelledWhenAsked := func() context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-asked
			cancel()
		}()
		return ctx
	}
	var chunks []provider.Chunk
	var last error
	for chunk, err := range c.Chat(cancelledWhenAsked(), question) {
		if last = err; err == nil {
			chunks = append(chunks, chunk)
		}
	}
	if len(chunks) != 1 || chunks[0].Phase != provider.PhaseLoading || !errors.Is(last, context.Canceled) || answered != 0 {
		t.Errorf("got %+v, then %v; %d requests were answered", chunks, last, answered)
	}
	if err := c.load(cancelledWhenAsked(), "m", 4096); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// To load one model may put another out, so the next request has to ask.
func TestLoadingOneModelPutsAnotherInDoubt(t *testing.T) {
	for name, load := range map[string]func(*Client) error{
		"by load": func(c *Client) error { return c.load(t.Context(), "small", 4096) },
		"by a chat": func(c *Client) error {
			_, err := ask(t.Context(), c, provider.Request{Model: "small", Context: 4096})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			mux, looked := listing(expires("2026-11-20T10:05:00Z"))
			mux.HandleFunc("POST /api/chat", streams(lineDone))
			mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
			c := clientOf(t, mux)
			for range 2 {
				if _, err := ask(t.Context(), c, question); err != nil {
					t.Fatal(err)
				}
			}
			if *looked != 1 {
				t.Errorf("the server was asked %d times what is in its memory", *looked)
			}
			if err := load(c); err != nil {
				t.Fatal(err)
			}
			before := *looked
			if _, err := ask(t.Context(), c, question); err != nil || *looked != before+1 {
				t.Errorf("after that it was asked %d times, %v", *looked-before, err)
			}
		})
	}
}

// A server puts a model out when it has answered what it was asked before, however late that is.
func TestAModelThatAnswersWhileAnotherLoadsIsInDoubtToo(t *testing.T) {
	mux, looked := listing(expires("2026-11-20T10:05:00Z"))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	var c *Client
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		if _, err := ask(r.Context(), c, question); err != nil {
			t.Error(err)
		}
		io.WriteString(w, loaded)
	})
	c = clientOf(t, mux)
	if err := c.load(t.Context(), "small", 4096); err != nil {
		t.Fatal(err)
	}
	before := *looked
	if _, err := ask(t.Context(), c, question); err != nil || *looked != before+1 {
		t.Errorf("after that the server was asked %d times what is in its memory, %v", *looked-before, err)
	}
}

// The same model with another context is loaded again, and that counts as a load; what is in memory is told to load, too, but that does not.
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

// The line of a turn, its sentences and a second turn may all ask at once.
func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/ps", answers(200, "application/json", expires("2026-11-20T10:05:00Z")))
	mux.HandleFunc("GET /api/tags", answers(200, "application/json", `{"models":[{"name":"small:latest","size":1000}]}`))
	mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	c := clientOf(t, mux)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c.LoadedContext(t.Context(), "small")
			if err := c.load(t.Context(), "small", 4096); err != nil {
				t.Error(err)
			}
			if _, err := ask(t.Context(), c, question); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
