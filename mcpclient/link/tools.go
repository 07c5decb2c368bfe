package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/mark3labs/mcp-go/mcp"
)

// MaxTools are more than any model reads; a server that pages on for ever is stopped here.
const MaxTools = 10_000

const maxRemarks = 3 // about tools that were left out

// Tools fetches the server's tools. The remarks name what was left out, and why. The error is one sentence, with what a process wrote last.
func (l *Link) Tools(ctx context.Context) (tools []offer.Tool, remarks []string, err error) {
	if tools, remarks, err = l.tools(ctx); err != nil {
		return nil, nil, l.withLastWords(err)
	}
	return tools, remarks, nil
}

func (l *Link) tools(ctx context.Context) (tools []offer.Tool, remarks []string, err error) {
	if l.client.GetServerCapabilities().Tools == nil {
		return nil, nil, nil
	}
	more := 0 // remarks
	tools, cut, err := pages("tools", MaxTools, func(params mcp.PaginatedParams) (page[offer.Tool], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListToolsRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListToolsResult, error) { return l.client.ListToolsByPage(ctx, request) })
		switch {
		case ctx.Err() != nil: // the answer may be on its way still
			return page[offer.Tool]{}, ctx.Err()
		case err != nil:
			return page[offer.Tool]{}, noTools(err, answer)
		}
		tools, unread, odd := offer.Tools(answer.result, l.server.Source, l.wire.modern())
		said := min(len(odd), maxRemarks-len(remarks))
		remarks, more = append(remarks, odd[:said]...), more+len(odd)-said
		return page[offer.Tool]{tools, unread, len(answer.result), list.NextCursor}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if more > 0 {
		remarks = append(remarks, fmt.Sprintf("left out %d more tools", more))
	}
	return withoutDoubles(tools), append(cut, remarks...), nil
}

// noTools says why a server does not tell its tools.
func noTools(err error, answer *answer) error {
	if answer.err != nil {
		return &fault.Worded{Text: fmt.Sprintf("it does not tell its tools: %s", cmp.Or(fault.Short(answer.err.Message), "nobody knows why")), Cause: err}
	}
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return errors.New("its list of tools makes no sense")
	}
	return err
}

func withoutDoubles(tools []offer.Tool) []offer.Tool {
	seen := map[string]bool{}
	return slices.DeleteFunc(tools, func(t offer.Tool) bool {
		double := seen[t.ServerTool]
		seen[t.ServerTool] = true
		return double
	})
}
