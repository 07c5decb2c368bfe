package ollama

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	// psTimeout bounds the question what is in memory: it only serves the status line and must not hold up the answer.
	psTimeout = 300 * time.Millisecond
	// staysInMemory is how long a model that just answered is taken to be in memory still. The server's own default
	// is five minutes.
	staysInMemory = 30 * time.Second
)

// Chat implements provider.Model.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		if err := c.chat(ctx, req, yield); err != nil {
			yield(provider.Chunk{}, endpoint.Ended(ctx, err))
		}
	}
}

func (c *Client) chat(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) error {
	where := c.residence(req)
	phase, had := c.phase(ctx, where, req.Model)
	if phase != provider.PhaseNone && !yield(provider.Chunk{Phase: phase, Context: had}, nil) {
		return nil
	}
	var loading time.Duration
	if phase == provider.PhaseLoading {
		began := time.Now()
		if c.load(ctx, req.Model, req.Context) == nil { // the request itself meets what goes wrong
			loading = time.Since(began)
			if !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				return nil
			}
		}
	}
	err := c.answer(ctx, req, loading, yield)
	if err != nil && ctx.Err() == nil { // a cancelled request leaves the model where it is
		c.answered(residence{})
	}
	return err
}

// answer makes the request and passes the reply on until its last line, or until yield wants no more. loading is how
// long the model took to load before.
func (c *Client) answer(ctx context.Context, req provider.Request, loading time.Duration, yield func(provider.Chunk, error) bool) error {
	s, err := c.open(ctx, "/api/chat", chatRequestOf(req))
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		chunk, err := c.next(s)
		if err != nil {
			return err
		}
		if chunk.Done {
			c.answered(c.residence(req))
			chunk.Usage.Load += loading
			yield(chunk, nil)
			s.Finish()
			return nil
		}
		if (chunk.Text != "" || chunk.Thinking != "" || len(chunk.Calls) > 0) && !yield(chunk, nil) {
			return nil
		}
	}
}

// next reads the next line of an answer.
func (c *Client) next(s *endpoint.Stream) (provider.Chunk, error) {
	line, err := line(s)
	if errors.Is(err, io.EOF) {
		err = &provider.Error{Kind: provider.KindBroken, Text: "the model's answer ended before it was done",
			Hint: "try again; a model that repeats itself is cut off like this"}
	}
	if err != nil {
		return provider.Chunk{}, err
	}
	return c.decode(line)
}

// line returns the next line that is not blank.
func line(s *endpoint.Stream) (line []byte, err error) {
	for len(line) == 0 && err == nil {
		line, err = s.Line()
	}
	return line, err
}

// load brings a model into memory. A request without a prompt does nothing else, so its answer is the one event that
// tells loading from reading, which takes as long and counts as work.
func (c *Client) load(ctx context.Context, model string, tokens int) error {
	request := api.GenerateRequest{Model: model, Stream: new(bool)}
	if tokens > 0 {
		request.Options = map[string]any{"num_ctx": tokens}
	}
	c.answered(residence{})       // to make room the server may unload any other model,
	defer c.answered(residence{}) // also one that answered meanwhile
	s, err := c.open(ctx, "/api/generate", request)
	if err != nil {
		return endpoint.Ended(ctx, err)
	}
	defer s.Close()
	chunk, err := c.next(s)
	switch {
	case err != nil:
		return endpoint.Ended(ctx, err)
	case !chunk.Done:
		return c.Nonsense(nil, nil)
	}
	s.Finish()
	return nil
}

// residence is a model in the server's memory. The same model with another context has to be loaded again.
type residence struct {
	model   string
	context int
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

// answered remembers which model is in memory; the zero residence forgets it.
func (c *Client) answered(where residence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest, c.latestAt = where, time.Now()
}

func (c *Client) isRecent(where residence) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest == where && time.Since(c.latestAt) < staysInMemory
}

// phase says what the server will do first: load the model or read the prompt. When the server does not tell, nothing
// is claimed. It is asked before the request, because a model that is being loaded is already in the list. had is the
// context of a model that will be loaded because it is in memory with another one.
func (c *Client) phase(ctx context.Context, where residence, model string) (phase provider.ChunkPhase, had int) {
	if c.isRecent(where) {
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
	if info, err := c.Describe(ctx, model); err == nil && info.Remote {
		return provider.PhaseNone, 0
	}
	return provider.PhaseLoading, had
}

// fullName adds the tag that the server adds to a name without one.
func fullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}
