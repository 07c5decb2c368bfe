package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

const keptLines = 20 // of what a server wrote for its log

// offers is what a server offers besides tools, and what it has told by itself. Set.mu guards it.
type offers struct {
	prompts   []Prompt             // replaced as a whole, never changed
	resources []Resource           // so are they
	cut       [2][]string          // how far the lists of prompts and of resources were read, where they are longer
	known     bool                 // the lists were fetched once, as far as they can be had
	read      map[string]time.Time // resources that were read here, by URI: when the server said that they changed; zero: not since
	told      []string
}

func newOffers() offers { return offers{read: map[string]time.Time{}} }

// hear acts on what a server has told: first that there is something to fetch.
func (s *Set) hear(life context.Context, p *peer, c *connection, news conn.News) {
	if news.Tools {
		s.relist(life, p, c)
	}
	s.fetch(life, p, c, news)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.gone != "" {
		return // the name may be another server's by now
	}
	if !c.heard {
		c.heard, p.offers.known = true, true
		s.announceLocked()
		for uri := range p.offers.read { // the connection before this one was asked for them
			c.Follow(uri)
		}
	}
	if len(news.Told) == 0 && len(news.Updated) == 0 {
		return
	}
	told := slices.Concat(p.offers.told, p.secrets.Texts(news.Told))
	p.offers.told = told[max(0, len(told)-keptLines):]
	for uri, at := range news.Updated {
		p.offers.update(uri, at)
	}
	s.board.Tell(p.config.Name, p.offers.told)
}

// update marks the resource that has changed, and those of which it is a part.
func (o *offers) update(uri string, at time.Time) {
	for read := range o.read {
		if uri == read || strings.HasPrefix(uri, strings.TrimSuffix(read, "/")+"/") {
			o.read[read] = at
		}
	}
}

// fetch gets the lists anew that have changed. One that cannot be had leaves the old one.
func (s *Set) fetch(life context.Context, p *peer, c *connection, changed conn.News) {
	ctx, cancel := context.WithTimeout(life, p.config.StartupTimeout)
	defer cancel()
	if changed.Prompts {
		prompts, cut, err := c.Prompts(ctx)
		s.replace(p, c, func() {
			p.offers.prompts = p.secrets.hideInPrompts(prompts)
			p.offers.cut[0] = cut
		}, err == nil || len(prompts) > 0)
	}
	if changed.Resources {
		resources, cut, err := c.Resources(ctx)
		s.replace(p, c, func() {
			p.offers.resources = p.secrets.hideInResources(resources)
			p.offers.cut[1] = cut
		}, err == nil || len(resources) > 0)
	}
}

// replace changes what is offered, and says so, where there is something new. A connection that was lost meanwhile has told half of it.
func (s *Set) replace(p *peer, c *connection, change func(), is bool) {
	if !is {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn != c {
		return
	}
	change()
	s.tellLocked(p, p.state)
}

// Offering waits until it is known what the server of that name offers. The error says why it offers nothing: there is no such server
// (errors.Is ErrNoServer), it failed, ctx's end.
func (s *Set) Offering(ctx context.Context, name string) error {
	for {
		known, changed, err := s.offeringNow(name)
		if known || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// offeringNow tells whether it is known what a server offers, and what is closed when that may have changed.
func (s *Set) offeringNow(name string) (known bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(name)
	switch {
	case p == nil:
		err = fmt.Errorf("%w %q", ErrNoServer, name)
	case p.off:
		err = fmt.Errorf("the server %q offers nothing: it is switched off", name)
	case !p.offers.known && p.failure != nil:
		err = fmt.Errorf("the server %q offers nothing: %w", name, p.secrets.Error(p.failure))
	default:
		known = p.offers.known
	}
	return known, s.changed, err
}

// ErrNoServer is matched by errors about a server that is not there.
var ErrNoServer = errors.New("there is no server")

// Servers are the names of all servers, whatever has become of them.
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
