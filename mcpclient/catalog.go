package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// catalog is what a server offers besides tools. Set.mu guards it.
type catalog struct {
	prompts   []Prompt    // replaced as a whole, never changed
	resources []Resource  // likewise
	cut       [2][]string // how far the lists of prompts and of resources were read, where they are longer
	known     bool        // the lists have been fetched
}

// hear acts on the news of a server. The first news are that there are lists to fetch.
func (s *Set) hear(ctx context.Context, p *peer, c *connection, news conn.News) {
	if news.Tools {
		s.relist(ctx, p, c)
	}
	s.fetch(ctx, p, c, news)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.run == nil {
		return // it was stopped: its name may be another server's by now
	}
	p.catalog.known = p.catalog.known || p.conn == c
	s.tellLocked(p, p.state)
}

// relist fetches a server's tools again. When that goes wrong the old ones stay.
func (s *Set) relist(ctx context.Context, p *peer, c *connection) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	tools, odd, err := c.Tools(ctx)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn == c {
		s.listedLocked(p, tools, odd)
	}
}

// fetch gets the lists that have changed. On failure the old list stays, as when the connection is lost meanwhile.
func (s *Set) fetch(ctx context.Context, p *peer, c *connection, changed conn.News) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	if changed.Prompts {
		prompts, cut, err := c.Prompts(ctx)
		s.mu.Lock()
		if p.conn == c && (err == nil || len(prompts) > 0) {
			p.catalog.prompts, p.catalog.cut[0] = p.secrets.hideInPrompts(prompts), cut
		}
		s.mu.Unlock()
	}
	if changed.Resources {
		resources, cut, err := c.Resources(ctx)
		s.mu.Lock()
		if p.conn == c && (err == nil || len(resources) > 0) {
			p.catalog.resources, p.catalog.cut[1] = p.secrets.hideInResources(resources), cut
		}
		s.mu.Unlock()
	}
}

// Offering waits until the prompts and resources of a server are known. The error says why it offers none: there is no such server
// (ErrNoServer), it failed, or ctx ended.
func (s *Set) Offering(ctx context.Context, name string) (err error) {
	ended := s.wait(ctx, func() bool {
		p := s.named(name)
		switch {
		case p == nil:
			err = fmt.Errorf("%w %q", ErrNoServer, name)
		case p.state == ServerOff:
			err = fmt.Errorf("the server %q offers nothing: it is switched off", name)
		case !p.catalog.known && p.failure != nil:
			err = fmt.Errorf("the server %q offers nothing: %w", name, p.secrets.Error(p.failure))
		}
		return err != nil || p.catalog.known
	})
	if ended != nil {
		return ended
	}
	return err
}

// ErrNoServer is matched by errors about an unknown server.
var ErrNoServer = errors.New("there is no server")

// Servers returns the names of all servers in any state.
func (s *Set) Servers() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		names = append(names, p.config.Name)
	}
	return names
}

// named is the server of that name, or nil. s.mu is held.
func (s *Set) named(name string) *peer { return byName(s.peers, name) }

// namedLocked is named for a set that still runs. s.mu is held.
func (s *Set) namedLocked(name string) (*peer, error) {
	p := s.named(name)
	switch {
	case s.closed:
		return nil, errClosed
	case p == nil:
		return nil, fmt.Errorf("%w %q", ErrNoServer, name)
	}
	return p, nil
}

// Prompts are those of all servers that are ready or were, in the order of the configuration. They are known some time after the tools are.
func (s *Set) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Prompt
	for _, p := range s.peers {
		if p.state != ServerOff {
			all = append(all, p.catalog.prompts...)
		}
	}
	return all
}

// Prompt has a server fill in one of its prompts. The error says in one sentence why there is none.
func (s *Set) Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]PromptMessage, error) {
	var messages []PromptMessage
	p, err := s.ask(ctx, server, "prompt", func(ctx context.Context, c *connection) (err error) {
		messages, err = c.Prompt(ctx, name, arguments)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, errors.New("the prompt is empty: the server gave no messages")
	}
	for i := range messages {
		messages[i].Text = p.secrets.Text(messages[i].Text)
	}
	return messages, nil
}

// Resources are those of all servers that are ready or were, in the order of the configuration, each server's templates behind them.
// They are known some time after the tools are.
func (s *Set) Resources() []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Resource
	for _, p := range s.peers {
		if p.state != ServerOff {
			all = append(all, p.catalog.resources...)
		}
	}
	return all
}

// Read reads a resource. The error says in one sentence why there is nothing.
func (s *Set) Read(ctx context.Context, server, uri string) (Contents, error) {
	if !conn.IsURI(uri) {
		return Contents{}, fmt.Errorf("%.100q is no address of a resource: it is written scheme://place, without spaces", uri)
	}
	var contents Contents
	p, err := s.ask(ctx, server, "resource", func(ctx context.Context, c *connection) (err error) {
		contents, err = c.Read(ctx, uri)
		return err
	})
	if err != nil {
		return Contents{}, err
	}
	contents.Text = p.secrets.Text(contents.Text)
	return contents, nil
}
