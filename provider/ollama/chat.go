package ollama

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// psTimeout bounds the question what is in memory: it only serves the status line and must not hold up the answer.
const psTimeout = 300 * time.Millisecond

// Chat implements provider.Model.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		phase, had := c.phase(ctx, req)
		if phase != provider.PhaseNone && !yield(provider.Chunk{Phase: phase, Context: had}, nil) {
			return
		}
		var loading time.Duration
		if phase == provider.PhaseLoading {
			began := time.Now()
			if c.load(ctx, req.Model, req.Context) == nil { // what goes wrong there the request itself will tell
				loading = time.Since(began)
				if !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
					return
				}
			}
		}
		if err := c.answer(ctx, req, loading, yield); err != nil {
			if ctx.Err() == nil { // who only stops listening, as the status line does when a tool is done, leaves the model where it is
				c.forget(req)
			}
			yield(provider.Chunk{}, err)
		}
	}
}

// answer makes the request and passes the reply on until its last line, or until yield wants no more. loading is how long the model took
// to load before; 0: it did not have to be loaded, or that went wrong.
func (c *Client) answer(ctx context.Context, req provider.Request, loading time.Duration, yield func(provider.Chunk, error) bool) error {
	s, err := c.open(ctx, "/api/chat", c.chatRequest(req))
	if err != nil {
		return err
	}
	defer s.close()
	for {
		line, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			return broken(s.at, nil)
		}
		if err != nil {
			return err
		}
		chunk, err := decode(s.at, line)
		if err != nil {
			return err
		}
		if chunk.Done {
			c.remember(req)
			chunk.Usage.Load += loading
			yield(chunk, nil)
			s.finish()
			return nil
		}
		if !empty(chunk) && !yield(chunk, nil) {
			return nil
		}
	}
}

func empty(c provider.Chunk) bool { return c.Text == "" && c.Thinking == "" && len(c.Calls) == 0 }

// phase says what the server will do first with req: load the model or read the prompt. When the server does not tell, nothing is claimed.
// It is asked before the request, because a model that is being loaded is already in the list. had is the context of a model that will be
// loaded because it is in memory with another one.
func (c *Client) phase(ctx context.Context, req provider.Request) (phase provider.ChunkPhase, had int) {
	where := c.residence(req)
	if c.recent(where) {
		return provider.PhaseReading, 0
	}
	ctx, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	loaded, err := c.Loaded(ctx)
	if err != nil {
		return provider.PhaseNone, 0
	}
	for _, m := range loaded {
		if fullName(m.Name) != where.model {
			continue
		}
		if m.Context == 0 || m.Context == where.context {
			return provider.PhaseReading, 0
		}
		had = m.Context
	}
	if c.remote(ctx, req.Model) {
		return provider.PhaseNone, 0
	}
	return provider.PhaseLoading, had
}
