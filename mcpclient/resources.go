package mcpclient

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

const maxSubscriptions = 100 // of one server, of resources that were read last

// Resources are those of all servers that are ready or were, in the order of the configuration, each server's templates behind them.
// They are known some time after the tools are.
func (s *Set) Resources() []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Resource
	for _, p := range s.peers {
		if p.off {
			continue
		}
		from := len(all)
		all = append(all, p.offers.resources...)
		for i := range all[from:] {
			all[from+i].Updated = p.offers.read[all[from+i].URI]
		}
	}
	return all
}

// Updated are the resources that were read here and that have changed since, as their servers say; only Server, URI and Updated are set.
func (s *Set) Updated() []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Resource
	for _, p := range s.peers {
		for _, uri := range slices.Sorted(maps.Keys(p.offers.read)) {
			if at := p.offers.read[uri]; !at.IsZero() {
				all = append(all, Resource{Server: p.config.Name, URI: uri, Updated: at})
			}
		}
	}
	return all
}

// Read reads a resource. From then on the server is asked to say when it changes, if it can. The error says in one sentence why there is nothing.
func (s *Set) Read(ctx context.Context, server, uri string) (Contents, error) {
	if !conn.IsURI(uri) {
		return Contents{}, fmt.Errorf("%.100q is no address of a resource: it is written scheme://place, without spaces", uri)
	}
	var contents Contents
	p, c, err := s.ask(ctx, server, "resource", func(ctx context.Context, c *connection) (err error) {
		contents, err = c.Read(ctx, uri)
		return err
	})
	if err != nil {
		return Contents{}, err
	}
	contents.Text = p.secrets.Text(contents.Text)
	s.followResource(p, c, uri)
	return contents, nil
}

// followResource notes that a resource was read just now, and has the server asked about its changes.
func (s *Set) followResource(p *peer, c *connection, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := p.offers.read[uri]; !known && len(p.offers.read) >= maxSubscriptions {
		return
	}
	p.offers.read[uri] = time.Time{}
	c.Follow(uri)
}
