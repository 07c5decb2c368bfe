package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxResources     = 10_000 // of one server
	maxSubscriptions = 100    // of one server, of resources that were read last
)

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
	if !offer.IsURI(uri) {
		return Contents{}, fmt.Errorf("%.100q is no address of a resource: it is written scheme://place, without spaces", uri)
	}
	var raw json.RawMessage
	p, c, err := s.ask(ctx, server, "resource", func(ctx context.Context, c *connection) (err error) {
		request := mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}}
		ctx, answer := withAnswer(ctx)
		_, err = c.client.ReadResource(ctx, request)
		raw, err = answer.outcome(err)
		return err
	})
	if err != nil {
		return Contents{}, err
	}
	contents := content.ReadResource(raw)
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
	c.wire.news.note(func(h *heard) { h.wanted = append(h.wanted, uri) })
}

// subscribe asks a server to say when a resource changes, if it can.
func (c *connection) subscribe(life context.Context, patience time.Duration, uri string) {
	if can := c.client.GetServerCapabilities().Resources; can == nil || !can.Subscribe {
		return
	}
	if c.wire.modern() {
		c.wire.news.follow(uri)
		return
	}
	ctx, cancel := context.WithTimeout(life, patience)
	defer cancel()
	//nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	_, _ = promptly(ctx, func() (any, error) {
		return nil, c.client.Subscribe(ctx, mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: uri}})
	})
}

// listResources fetches the resources of a server and its templates. Those that nobody could ask for are left out. cut remarks that there are
// more.
func (c *connection) listResources(ctx context.Context, server string) (all []Resource, cut []string, err error) {
	plain, cut, err := pages("resources", maxResources, func(params mcp.PaginatedParams) (page[Resource], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourcesRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListResourcesResult, error) { return c.client.ListResourcesByPage(ctx, request) })
		if err != nil {
			return page[Resource]{}, err
		}
		resources, unread := offer.Resources(answer.result, "resources", server)
		return page[Resource]{resources, unread, len(answer.result), list.NextCursor}, nil
	})
	templates, cutTemplates, templatesErr := pages("templates", offer.MaxTemplates, func(params mcp.PaginatedParams) (page[Resource], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourceTemplatesRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListResourceTemplatesResult, error) {
			return c.client.ListResourceTemplatesByPage(ctx, request)
		})
		if err != nil {
			return page[Resource]{}, err
		}
		templates, unread := offer.Resources(answer.result, "resourceTemplates", server)
		return page[Resource]{templates, unread, len(answer.result), list.NextCursor}, nil
	})
	if templatesErr == nil {
		err = nil // a server without templates need not know the question, nor one without resources the other
	}
	return append(plain, templates...), append(cut, cutTemplates...), err
}

// hideInResources leaves the addresses alone: they are what the server knows its resources by.
func (s secrets) hideInResources(resources []Resource) []Resource {
	for i := range resources {
		r := &resources[i]
		r.Name, r.Title, r.Description = s.Text(r.Name), s.Text(r.Title), s.Text(r.Description)
	}
	return resources
}
