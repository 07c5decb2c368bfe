package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// catalog has the prompts and resources of a server. Set.mu guards it.
type catalog struct {
	prompts   []mcpclient.Prompt   // replaced as a whole, never changed
	resources []mcpclient.Resource // likewise
	cut       [2][]string          // remarks about lists that are too long
	known     bool                 // the lists have been fetched
}

// refresh fetches the lists of a server that have changed. If that fails the old list stays.
func (s *Set) refresh(ctx context.Context, p *peer, c *connection, changed conn.News) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	if changed.Tools {
		changes := c.ToolChanges()
		tools, odd, err := c.Tools(ctx)
		s.withConnection(p, c, func() {
			if c.unlisted = err; err == nil {
				c.changes = changes
				s.listedLocked(p, tools, odd)
			} else {
				s.tellLocked(p, p.state) // wakes the calls that wait
			}
		})
	}
	if changed.Prompts {
		if prompts, cut, err := c.Prompts(ctx); err == nil || len(prompts) > 0 {
			s.withConnection(p, c, func() { p.catalog.prompts, p.catalog.cut[0] = p.secrets.hideInPrompts(prompts), cut })
		}
	}
	if changed.Resources {
		if found, cut, err := c.Resources(ctx); err == nil || len(found) > 0 {
			s.withConnection(p, c, func() { p.catalog.resources, p.catalog.cut[1] = p.secrets.hideInResources(found), cut })
		}
	}
	s.withConnection(p, c, func() {
		p.catalog.known = true
		s.tellLocked(p, p.state)
	})
}

// awaitTools waits until the tools of a server are listed again, if the server has announced that they have changed. It
// does not wait for changes that are announced meanwhile, since some servers announce one with each list.
func (s *Set) awaitTools(ctx context.Context, p *peer, c *connection) error {
	changes := c.ToolChanges()
	hurry, failed := true, false
	s.withConnection(p, c, func() { failed, c.unlisted = c.unlisted != nil, nil })
	err := s.wait(ctx, func() (bool, error) {
		if p.conn != c || c.changes >= changes {
			return true, nil
		}
		if c.unlisted != nil && !errors.Is(c.unlisted, context.DeadlineExceeded) { // else it may be busy with another call
			return false, fmt.Errorf("its tools have changed, but it does not list them: %w", c.unlisted)
		}
		if failed = failed || c.unlisted != nil; hurry || failed {
			c.HurryTools(failed)
		}
		hurry, failed, c.unlisted = false, false, nil
		return false, nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w; %w", err, mcpclient.ErrUnasked)
	}
	return err
}

// withConnection calls f with s.mu held, if the connection is still the server's.
func (s *Set) withConnection(p *peer, c *connection, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn == c {
		f()
	}
}

// Offering waits until the prompts and resources of a server are known. The error is mcpclient.ErrNoServer for an
// unknown server, the reason why the server failed, or the error of ctx.
func (s *Set) Offering(ctx context.Context, name string) error {
	return s.wait(ctx, func() (bool, error) {
		p, err := s.namedLocked(name)
		switch {
		case err != nil:
			return false, err
		case p.state == mcpclient.ServerOff:
			return false, fmt.Errorf("server %q is off", name)
		case !p.catalog.known && p.failure != nil:
			return false, fmt.Errorf("server %q is not available: %w", name, p.secrets.Error(p.failure))
		case p.run.late && !s.options.Patient:
			return false, fmt.Errorf("server %q is %s", name, p.entry().Detail)
		}
		return p.catalog.known, nil
	})
}

// Servers returns the names of all servers in any state.
func (s *Set) Servers() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		names = append(names, p.config.Name)
	}
	return names
}

// namedLocked returns the server with a name. s.mu is held.
func (s *Set) namedLocked(name string) (*peer, error) {
	i := slices.IndexFunc(s.peers, func(p *peer) bool { return p.config.Name == name })
	switch {
	case s.closed:
		return nil, errClosed
	case i < 0:
		return nil, fmt.Errorf("%w %q", mcpclient.ErrNoServer, name)
	}
	return s.peers[i], nil
}

// Prompts returns the prompts of all servers that are on, in the order of the configuration. They are known later than
// the tools.
func (s *Set) Prompts() (all []mcpclient.Prompt) {
	s.forEachOn(func(p *peer) { all = append(all, p.catalog.prompts...) })
	return all
}

// Prompt gets the messages of a prompt.
func (s *Set) Prompt(
	ctx context.Context, server, name string, arguments map[string]string,
) ([]mcpclient.PromptMessage, error) {
	var messages []mcpclient.PromptMessage
	p, err := s.ask(ctx, server, "prompt", func(ctx context.Context, c *connection) (err error) {
		messages, err = c.Prompt(ctx, name, arguments)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, errors.New("the prompt is empty")
	}
	for i := range messages {
		messages[i].Text = p.secrets.Text(messages[i].Text)
	}
	return messages, nil
}

// Resources returns the resources of all servers that are on, in the order of the configuration, each server's
// templates last. They are known later than the tools.
func (s *Set) Resources() (all []mcpclient.Resource) {
	s.forEachOn(func(p *peer) { all = append(all, p.catalog.resources...) })
	return all
}

// Read reads a resource.
func (s *Set) Read(ctx context.Context, server, uri string) (mcpclient.Contents, error) {
	if !mcpclient.IsURI(uri) {
		return mcpclient.Contents{}, fmt.Errorf("%.100q is not a resource address. Write scheme://path without spaces", uri)
	}
	var contents mcpclient.Contents
	p, err := s.ask(ctx, server, "resource", func(ctx context.Context, c *connection) (err error) {
		contents, err = c.Read(ctx, uri)
		return err
	})
	if err != nil {
		return mcpclient.Contents{}, err
	}
	contents.Text = p.secrets.Text(contents.Text)
	return contents, nil
}
