package link

import (
	"context"
	"errors"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/mark3labs/mcp-go/mcp"
)

// MaxPrompts is how many prompts of a server are read.
const MaxPrompts = 1000

// Prompts fetches the server's prompts. Those that nobody could ask for are left out. With an error comes what there was before it; a server that has
// none to offer is errors.ErrUnsupported. cut remarks that there are more.
func (l *Link) Prompts(ctx context.Context) (all []offer.Prompt, cut []string, err error) {
	if l.client.GetServerCapabilities().Prompts == nil {
		return nil, nil, errors.ErrUnsupported
	}
	return pages("prompts", MaxPrompts, func(params mcp.PaginatedParams) (page[offer.Prompt], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListPromptsRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListPromptsResult, error) { return l.client.ListPromptsByPage(ctx, request) })
		if err != nil {
			return page[offer.Prompt]{}, err
		}
		prompts, unread := offer.Prompts(answer.result, l.server.Source.Server)
		return page[offer.Prompt]{prompts, unread, len(answer.result), list.NextCursor}, nil
	})
}

// Prompt has the server fill in a prompt. Who asks bounds the time; the server may take all of it.
func (l *Link) Prompt(ctx context.Context, name string, arguments map[string]string) ([]content.Message, error) {
	request := mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name, Arguments: arguments}}
	raw, err := l.raw(ctx, func(ctx context.Context) error {
		_, err := l.client.GetPrompt(ctx, request)
		return err
	})
	if err != nil {
		return nil, err
	}
	return content.ReadPrompt(raw, l.wire.asked.Secrets), nil
}
