package conn

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	// MaxTemplates is how many templates of a server are read.
	MaxTemplates = 500
	// LongestURI is the most bytes of an address.
	LongestURI = 2 << 10

	maxResources = 10_000 // of one server
)

// Resource is one resource of one server, or a template of many.
type Resource struct {
	Server      string
	URI         string // of a template with {variables}
	Name        string
	Title       string
	Description string
	Template    bool
}

// Resources fetches the server's resources, and its templates behind them, without those that cannot be read. With an error come those that were
// read before it; a server that has none to offer is errors.ErrUnsupported. cut remarks that there are more.
func (c *Conn) Resources(ctx context.Context) (all []Resource, cut []string, err error) {
	if c.can.Resources == nil {
		return nil, nil, errors.ErrUnsupported
	}
	read := func(isTemplate bool) func(json.RawMessage) (Resource, bool) {
		return func(raw json.RawMessage) (Resource, bool) {
			return readResource(raw, isTemplate, c.server.Source.Server)
		}
	}
	all, cut, err = pages(ctx, c, mcp.MethodResourcesList, "resources", maxResources, read(false))
	templates, cutTemplates, templatesErr := pages(ctx, c, mcp.MethodResourcesTemplatesList, "templates", MaxTemplates, read(true))
	if templatesErr == nil {
		err = nil // a server without templates need not know the question, nor one without resources the other
	}
	return append(all, templates...), append(cut, cutTemplates...), err
}

// Read reads a resource.
func (c *Conn) Read(ctx context.Context, uri string) (Contents, error) {
	defer c.requests.BeginCall(ctx)()
	raw, err := c.request(ctx, mcp.MethodResourcesRead, mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return Contents{}, err
	}
	return readContents(raw), nil
}

// readResource reads a resource, or a template of many, and reports whether it can be read.
func readResource(raw json.RawMessage, isTemplate bool, server string) (Resource, bool) {
	var r struct {
		URI         string `json:"uri"`
		Template    string `json:"uriTemplate"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
	resource := Resource{
		Server: server, URI: r.URI, Name: sanitize.Clip(r.Name, longestTitle), Title: sanitize.Clip(r.Title, longestTitle),
		Description: sanitize.Clip(r.Description, longestAbout),
	}
	if isTemplate {
		resource.Template, resource.URI = true, r.Template
		if !strings.Contains(r.Template, "{") {
			return Resource{}, false
		}
	}
	return resource, IsURI(resource.URI)
}

// IsURI reports whether a text can be an address of a resource, or a template of one: a word of visible characters with a scheme.
func IsURI(uri string) bool { return isShown(uri, LongestURI) && uriShape.MatchString(uri) }

var uriShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Z}]*$`)

// Fits reports whether an address may come from this template: it begins like it.
func (r Resource) Fits(uri string) bool {
	beginning, _, _ := strings.Cut(r.URI, "{")
	return r.Template && strings.HasPrefix(uri, beginning) && IsURI(uri)
}
