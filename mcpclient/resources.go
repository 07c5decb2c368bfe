package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxResources     = 10_000 // of one server
	maxTemplates     = 500    // of one server; a mention is held against each
	longestURI       = 2 << 10
	maxSubscriptions = 100 // of one server, of resources that were read last
)

// Resource is one resource of one server, or a template of many.
type Resource struct {
	Server      string
	URI         string // of a template with {variables}
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        int64 // bytes; 0: unknown
	Template    bool
	Updated     time.Time // when the server last said that it changed; zero: never since it was read
}

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
	if !isURI(uri) {
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

// listResources fetches the resources of a server and its templates. Those that nobody could ask for are left out.
func (c *connection) listResources(ctx context.Context, server string) ([]Resource, error) {
	plain, err := pages(maxResources, func(params mcp.PaginatedParams) ([]Resource, mcp.Cursor, error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourcesRequest
		request.Params = params
		page, err := promptly(ctx, func() (*mcp.ListResourcesResult, error) { return c.client.ListResourcesByPage(ctx, request) })
		if err != nil {
			return nil, "", err
		}
		return readResources(answer.result, "resources", server), page.NextCursor, nil
	})
	templates, templatesErr := pages(maxTemplates, func(params mcp.PaginatedParams) ([]Resource, mcp.Cursor, error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourceTemplatesRequest
		request.Params = params
		page, err := promptly(ctx, func() (*mcp.ListResourceTemplatesResult, error) {
			return c.client.ListResourceTemplatesByPage(ctx, request)
		})
		if err != nil {
			return nil, "", err
		}
		return readResources(answer.result, "resourceTemplates", server), page.NextCursor, nil
	})
	if err != nil && templatesErr == nil {
		return append(plain, templates...), nil
	}
	return append(plain, templates...), err // a server without templates need not know the question
}

func readResources(page json.RawMessage, member, server string) []Resource {
	var all []Resource
	for _, raw := range content.Items(page, member) {
		var r struct {
			URI         string  `json:"uri"`
			Template    string  `json:"uriTemplate"`
			Name        string  `json:"name"`
			Title       string  `json:"title"`
			Description string  `json:"description"`
			MIMEType    string  `json:"mimeType"`
			Size        float64 `json:"size"`
		}
		_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
		resource := Resource{
			Server: server, URI: r.URI, Name: sanitize.Clip(r.Name, longestTitle), Title: sanitize.Clip(r.Title, longestTitle),
			Description: sanitize.Clip(r.Description, longestAbout), MIMEType: sanitize.Clip(r.MIMEType, longestTitle),
		}
		if r.Size > 0 && r.Size < 1<<53 {
			resource.Size = int64(r.Size)
		}
		if member == "resourceTemplates" {
			resource.Template, resource.URI = true, r.Template
			if len(all) == maxTemplates || len(resource.Variables()) == 0 {
				continue
			}
		}
		if isURI(resource.URI) {
			all = append(all, resource)
		}
	}
	return all
}

// isURI tells what can be an address of a resource, or a template of one: a word of visible characters with a scheme.
func isURI(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	if !ok || scheme == "" || !isLetter(rune(scheme[0])) || len(uri) > longestURI || !utf8.ValidString(uri) {
		return false
	}
	inScheme := func(r rune) bool { return isLetter(r) || r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.' }
	return !strings.ContainsFunc(scheme, func(r rune) bool { return !inScheme(r) }) &&
		!strings.ContainsFunc(uri, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}

// hideInResources leaves the addresses alone: they are what the server knows its resources by.
func (s secrets) hideInResources(resources []Resource) []Resource {
	for i := range resources {
		r := &resources[i]
		r.Name, r.Title, r.Description = s.Text(r.Name), s.Text(r.Title), s.Text(r.Description)
	}
	return resources
}
