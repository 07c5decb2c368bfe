package ollama

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
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
	phase, had := c.phase(ctx, req)
	if phase != provider.PhaseNone && !yield(provider.Chunk{Phase: phase, Context: had}, nil) {
		return nil
	}
	var loading time.Duration
	if phase == provider.PhaseLoading {
		began := time.Now()
		if c.load(ctx, req.Model, req.Context) == nil { // the chat request reports an error
			loading = time.Since(began)
			if !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				return nil
			}
		}
	}
	c.noteReply("", 0)
	s, err := c.open(ctx, "/api/chat", c.chatRequest(req))
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
			chunk.Usage.Load = realLoad(phase, loading, chunk.Usage.Load)
			if phase != provider.PhaseNone { // the model is in the memory of this server
				c.noteReply(req.Model, req.Context)
			}
			yield(chunk, nil)
			s.Finish()
			return nil
		}
		if (chunk.Text != "" || chunk.Thinking != "" || len(chunk.Calls) > 0) && !yield(chunk, nil) {
			return nil
		}
	}
}

// realLoad returns how long the server loaded the model for a reply. loading is the measured time, 0 if unknown.
// reported includes what the server does for every request, which takes up to a second on a busy machine. A load
// without PhaseLoading happens if another program loaded the model with other options, which the server does not show.
func realLoad(phase provider.ChunkPhase, loading, reported time.Duration) time.Duration {
	if phase != provider.PhaseLoading && reported < time.Second {
		return 0
	}
	return max(loading, reported)
}

// next reads the next line of a response.
func (c *Client) next(s *endpoint.Stream) (provider.Chunk, error) {
	line, err := s.Line()
	if errors.Is(err, io.EOF) {
		err = &provider.Error{Kind: provider.KindBroken, Text: endpoint.EndedEarly,
			Hint: "try again; Ollama also stops a model that repeats itself"}
	}
	if err != nil {
		return provider.Chunk{}, err
	}
	return c.decode(line)
}

// load loads a model with a request without a prompt. Its response is the only event that separates loading from
// reading the prompt. It has the options of the chat request, since another Shift would make newer servers load the
// model again.
func (c *Client) load(ctx context.Context, model string, tokens int) error {
	request := api.GenerateRequest{Model: model, Stream: new(bool), Shift: new(bool), KeepAlive: c.keepAlive(model)}
	if tokens > 0 {
		request.Options = map[string]any{"num_ctx": tokens}
	}
	s, err := c.open(ctx, "/api/generate", request)
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
			s.Finish()
			return nil
		}
	}
}
