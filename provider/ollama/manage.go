package ollama

import (
	"context"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

const (
	usualKeep = 5 * time.Minute // how long the server keeps a model in memory by default
	always    = -1
)

// Remove implements provider.Manager.
func (c *Client) Remove(ctx context.Context, name string) error {
	err := c.explain(c.Delete(ctx, c.Base.JoinPath("/api/delete"), api.DeleteRequest{Model: name}))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.infos[name], c.listing = provider.Info{}, listing{}
	return err
}

// Keep implements provider.Manager. The model is loaded with the context that it has, or that it needed last, so that
// the next question does not load it again.
func (c *Client) Keep(ctx context.Context, name string, on bool) error {
	loaded, _ := c.InMemory(ctx, name) // zero on error
	tokens := loaded.Context
	if tokens == 0 {
		tokens, _ = c.Pace.Context(name)
	}
	c.mu.Lock()
	c.keeps[untagged(name)] = usualKeep
	if on {
		c.keeps[untagged(name)] = always
	}
	c.mu.Unlock()
	if !on && loaded.Name == "" {
		return nil
	}
	defer c.noteReply("", 0)
	err := c.load(ctx, name, tokens)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.keeps, untagged(name))
	}
	return err
}

// keepAlive returns how long a model stays in memory after a request; nil means as long as before. It is sent with each
// request, because another context loads the model again.
func (c *Client) keepAlive(name string) *api.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if keep, ok := c.keeps[untagged(name)]; ok {
		return &api.Duration{Duration: keep}
	}
	return nil
}

func untagged(name string) string { return strings.TrimSuffix(name, ":latest") }

// stays reports whether a model in memory is not unloaded. The server then says that it expires in centuries.
func (m Described) stays() bool {
	expires, err := time.Parse(time.RFC3339, m.ExpiresAt)
	return err == nil && time.Until(expires) > 365*24*time.Hour
}
