package link

import (
	"context"
	"errors"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/mark3labs/mcp-go/mcp"
)

const maxResources = 10_000 // of one server

// Resources fetches the server's resources, and its templates behind them. Those that nobody could ask for are left out. With an error comes what there
// was before it; a server that has none to offer is errors.ErrUnsupported. cut remarks that there are more.
func (l *Link) Resources(ctx context.Context) (all []offer.Resource, cut []string, err error) {
	if l.client.GetServerCapabilities().Resources == nil {
		return nil, nil, errors.ErrUnsupported
	}
	plain, cut, err := pages("resources", maxResources, func(params mcp.PaginatedParams) (page[offer.Resource], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourcesRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListResourcesResult, error) { return l.client.ListResourcesByPage(ctx, request) })
		if err != nil {
			return page[offer.Resource]{}, err
		}
		resources, unread := offer.Resources(answer.result, "resources", l.server.Source.Server)
		return page[offer.Resource]{resources, unread, len(answer.result), list.NextCursor}, nil
	})
	templates, cutTemplates, templatesErr := pages("templates", offer.MaxTemplates, func(params mcp.PaginatedParams) (page[offer.Resource], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListResourceTemplatesRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListResourceTemplatesResult, error) {
			return l.client.ListResourceTemplatesByPage(ctx, request)
		})
		if err != nil {
			return page[offer.Resource]{}, err
		}
		templates, unread := offer.Resources(answer.result, "resourceTemplates", l.server.Source.Server)
		return page[offer.Resource]{templates, unread, len(answer.result), list.NextCursor}, nil
	})
	if templatesErr == nil {
		err = nil // a server without templates need not know the question, nor one without resources the other
	}
	return append(plain, templates...), append(cut, cutTemplates...), err
}

// Read reads a resource. Who asks bounds the time; the server may take all of it.
func (l *Link) Read(ctx context.Context, uri string) (content.Resource, error) {
	request := mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}}
	raw, err := l.raw(ctx, func(ctx context.Context) error {
		_, err := l.client.ReadResource(ctx, request)
		return err
	})
	if err != nil {
		return content.Resource{}, err
	}
	return content.ReadResource(raw), nil
}
