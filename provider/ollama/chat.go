package ollama

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/ollama/ollama/api"
)

const (
	// psTimeout bounds the question what is in memory: it only serves the status line and must not hold up the answer.
	psTimeout = 300 * time.Millisecond
	// staysInMemory is how long a model that just answered is taken to be in memory still. The server's own default is five minutes.
	staysInMemory = 30 * time.Second
)

// residence is a model in the server's memory. The same model with another context has to be loaded again.
type residence struct {
	model   string
	context int
}

// Chat implements provider.Model.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		phase := c.phase(ctx, req)
		if phase != provider.PhaseNone && !yield(provider.Chunk{Phase: phase}, nil) {
			return
		}
		var loading time.Duration
		if phase == provider.PhaseLoading {
			if loading = c.load(ctx, req); ctx.Err() == nil && !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				return
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

// load brings the model into memory and tells how long that took. A request without a prompt does nothing else, so its answer is the one
// event that tells loading from reading, which takes as long and counts as work. What goes wrong here the request itself will tell.
func (c *Client) load(ctx context.Context, req provider.Request) time.Duration {
	began := time.Now()
	s, err := c.open(ctx, "/api/generate", api.GenerateRequest{Model: req.Model, Stream: new(bool), Options: map[string]any{"num_ctx": req.Context}})
	if err == nil {
		_, _ = s.next(ctx)
		s.finish()
		s.close()
	}
	return time.Since(began)
}

// answer makes the request and passes the reply on until its last line, or until yield wants no more. loading is how long the model took
// to load before.
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
// It is asked before the request, because a model that is being loaded is already in the list.
func (c *Client) phase(ctx context.Context, req provider.Request) provider.ChunkPhase {
	where := c.residence(req)
	if c.recent(where) {
		return provider.PhaseReading
	}
	if strings.HasSuffix(req.Model, "cloud") { // qwen3-coder:480b-cloud runs elsewhere
		return provider.PhaseNone
	}
	ctx, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	loaded, err := c.Loaded(ctx)
	if err != nil {
		return provider.PhaseNone
	}
	for _, m := range loaded {
		if fullName(m.Name) == where.model && (m.Context == 0 || m.Context == where.context) {
			return provider.PhaseReading
		}
	}
	return provider.PhaseLoading
}

// residence is where req will be served. The server makes no context longer than the model was trained for.
func (c *Client) residence(req provider.Request) residence {
	c.mu.Lock()
	defer c.mu.Unlock()
	tokens := req.Context
	if trained := c.infos[req.Model].Context; trained > 0 {
		tokens = min(tokens, trained)
	}
	return residence{fullName(req.Model), tokens}
}

func (c *Client) recent(where residence) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.inMemory[where]) < staysInMemory
}

func (c *Client) remember(req provider.Request) {
	where := c.residence(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inMemory[where] = time.Now()
}

func (c *Client) forget(req provider.Request) {
	where := c.residence(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inMemory, where)
}

// fullName adds the tag that the server adds to a name without one.
func fullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}
