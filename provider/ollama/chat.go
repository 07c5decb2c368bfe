package ollama

import (
	"cmp"
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

// psTimeout limits the requests that only serve the status line, so that they do not delay the answer.
const psTimeout = 300 * time.Millisecond

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
		if c.load(ctx, req.Model, req.Context) { // the chat request reports an error
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
			chunk.Usage.Load += loading
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

// next reads the next line of a response.
func (c *Client) next(s *endpoint.Stream) (provider.Chunk, error) {
	line, err := line(s)
	if errors.Is(err, io.EOF) {
		err = &provider.Error{Kind: provider.KindBroken, Text: endpoint.EndedEarly,
			Hint: "try again; Ollama also stops a model that repeats itself"}
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

// load loads a model with a request without a prompt. Its response is the only event that separates loading from
// reading the prompt. load reports whether the model was loaded.
func (c *Client) load(ctx context.Context, model string, tokens int) bool {
	request := api.GenerateRequest{Model: model, Stream: new(bool)}
	if tokens > 0 {
		request.Options = map[string]any{"num_ctx": tokens}
	}
	s, err := c.open(ctx, "/api/generate", request)
	if err != nil {
		return false
	}
	defer s.Close()
	if chunk, err := c.next(s); err != nil || !chunk.Done {
		return false
	}
	s.Finish()
	return true
}

// surelyLoaded is how long a model counts as loaded after a reply or after the server said so. Ollama keeps it for five
// minutes, unless another program needs the memory.
const surelyLoaded = 5 * time.Second

// noteReply records the end of a reply. An empty model records the beginning of a request.
func (c *Client) noteReply(model string, tokens int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model, c.context, c.replied = model, tokens, time.Now()
	if c.unlisted == nil {
		c.loadedAt = time.Time{}
	}
}

// phase returns what the server will do first: load the model or read the prompt. It must be called before the request,
// because a model that is being loaded is already in the list. had is the context of a model that will be loaded again
// with another context.
func (c *Client) phase(ctx context.Context, req provider.Request) (phase provider.ChunkPhase, had int) {
	c.mu.Lock()
	same := c.model == req.Model && c.context == req.Context && time.Since(c.replied) < surelyLoaded
	c.mu.Unlock()
	if same {
		return provider.PhaseReading, 0
	}
	loaded, err := c.recentlyLoaded(ctx, req.Model)
	if err != nil {
		return provider.PhaseNone, 0
	}
	if loaded.Context == req.Context && loaded.Context > 0 {
		return provider.PhaseReading, 0
	}
	info, err := c.Describe(ctx, req.Model)
	if err == nil && info.Remote {
		return provider.PhaseNone, 0
	}
	tokens := min(req.Context, cmp.Or(info.Context, req.Context)) // the server limits it to the trained context
	if loaded.Name != "" && (loaded.Context == 0 || loaded.Context == tokens) {
		return provider.PhaseReading, 0
	}
	return provider.PhaseLoading, loaded.Context
}

// fullName adds the default tag to a name without a tag.
func fullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}
