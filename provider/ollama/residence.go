package ollama

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// staysInMemory is how long a model that just answered is taken to be in memory still. The server's own default is five minutes.
const staysInMemory = 30 * time.Second

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

// mayHaveGone forgets what was in memory: to load a model the server may put any other out.
func (c *Client) mayHaveGone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.inMemory)
}

// loadedAs is the model in the list of what is in memory, or nil if it is not there.
func (c *Client) loadedAs(ctx context.Context, model string) (*Loaded, error) {
	loaded, err := c.Loaded(ctx)
	for i := range loaded {
		if fullName(loaded[i].Name) == fullName(model) {
			return &loaded[i], nil
		}
	}
	return nil, err
}

// LoadedContext implements provider.Memory.
func (c *Client) LoadedContext(ctx context.Context, model string) int {
	ctx, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	loaded, err := c.loadedAs(ctx, model)
	if err != nil || loaded == nil {
		return 0
	}
	return sane(loaded.Context, 1<<30)
}

// load brings a model into memory. A request without a prompt does nothing else, so its answer is the one event that tells loading from
// reading, which takes as long and counts as work.
func (c *Client) load(ctx context.Context, model string, tokens int) error {
	request := api.GenerateRequest{Model: model, Stream: new(bool)}
	if tokens > 0 {
		request.Options = map[string]any{"num_ctx": tokens}
	}
	c.mayHaveGone()
	defer c.mayHaveGone() // those that answered meanwhile
	s, err := c.open(ctx, "/api/generate", request)
	if err != nil {
		return err
	}
	defer s.close()
	line, err := s.next(ctx)
	if errors.Is(err, io.EOF) {
		return broken(s.at, err)
	}
	if err != nil {
		return err
	}
	chunk, err := decode(s.at, line)
	if err == nil && !chunk.Done {
		err = nonsense(s.at, line, nil)
	}
	if err == nil {
		s.finish()
	}
	return err
}

// remote reports whether the server says that it passes requests for the model on to another one.
func (c *Client) remote(ctx context.Context, model string) bool {
	info, err := c.Describe(ctx, model)
	return err == nil && info.Remote
}

// fullName adds the tag that the server adds to a name without one.
func fullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}
