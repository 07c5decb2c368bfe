package conn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
)

// Limits of the data that is read from a server.
const (
	MaxTemplates = 500    // of one server
	maxResources = 10_000 // of one server
)

// Resources fetches the resources of the server and then its templates, without those that have an invalid address.
// cut is a remark if it has more. An error comes with the resources read before it, and is errors.ErrUnsupported if
// the server does not support resources.
func (c *Conn) Resources(ctx context.Context) (all []mcpclient.Resource, cut []string, err error) {
	if !c.can.Resources.declared && !c.can.none() {
		return nil, nil, errors.ErrUnsupported
	}
	ctx, cancel := c.can.Resources.timeout(ctx)
	defer cancel()
	read := func(isTemplate bool) func(json.RawMessage) (mcpclient.Resource, bool) {
		return func(raw json.RawMessage) (mcpclient.Resource, bool) {
			return readResource(raw, isTemplate, c.server.Name)
		}
	}
	all, cut, err = pages(ctx, c, mcp.MethodResourcesList, "resources", maxResources, read(false))
	templates, cutTemplates, templatesErr := pages(
		ctx, c, mcp.MethodResourcesTemplatesList, "templates", MaxTemplates, read(true))
	if templatesErr == nil {
		err = nil // a server may support only one of the two lists
	}
	return append(all, templates...), append(cut, cutTemplates...), err
}

// Read reads a resource.
func (c *Conn) Read(ctx context.Context, uri string) (mcpclient.Contents, error) {
	defer c.requests.BeginCall(ctx)()
	raw, err := c.request(ctx, mcp.MethodResourcesRead, mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return mcpclient.Contents{}, err
	}
	return readContents(raw), nil
}

// readResource parses a resource or a template, and reports whether it is valid.
func readResource(raw json.RawMessage, isTemplate bool, server string) (mcpclient.Resource, bool) {
	var r struct {
		URI         string `json:"uri"`
		Template    string `json:"uriTemplate"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal(raw, &r) // ignores fields of the wrong type
	resource := mcpclient.Resource{
		Server: server, URI: r.URI, Name: clipTitle(r.Name), Title: clipTitle(r.Title),
		Description: clipDescription(r.Description),
	}
	if isTemplate {
		resource.Template, resource.URI = true, r.Template
		if !strings.Contains(r.Template, "{") {
			return mcpclient.Resource{}, false
		}
	}
	return resource, mcpclient.IsURI(resource.URI)
}
