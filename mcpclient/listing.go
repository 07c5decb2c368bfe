package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/aloudchat/aloud/mcpclient/policy"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxTools   = 10_000 // more than any model reads; a server that pages on for ever is stopped here
	maxRemarks = 3      // about tools that were left out
)

// list fetches all pages of a server's tools. The remarks name what was left out, and why.
func (c *connection) list(ctx context.Context, config Server) (tools []Tool, remarks []string, err error) {
	if c.client.GetServerCapabilities().Tools == nil {
		return nil, nil, nil
	}
	more := 0 // remarks
	tools, cut, err := pages("tools", maxTools, func(params mcp.PaginatedParams) (page[Tool], error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListToolsRequest
		request.Params = params
		list, err := promptly(ctx, func() (*mcp.ListToolsResult, error) { return c.client.ListToolsByPage(ctx, request) })
		switch {
		case ctx.Err() != nil: // the answer may be on its way still
			return page[Tool]{}, ctx.Err()
		case err != nil:
			return page[Tool]{}, noTools(err, answer)
		}
		tools, unread, odd := offer.Tools(answer.result, sourceOf(config), c.wire.modern())
		said := min(len(odd), maxRemarks-len(remarks))
		remarks, more = append(remarks, odd[:said]...), more+len(odd)-said
		return page[Tool]{tools, unread, len(answer.result), list.NextCursor}, nil
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

func withoutDoubles(tools []Tool) []Tool {
	seen := map[string]bool{}
	return slices.DeleteFunc(tools, func(t Tool) bool {
		double := seen[t.ServerTool]
		seen[t.ServerTool] = true
		return double
	})
}

// sourceOf is what is believed of a server's tools, and which of them are wanted.
func sourceOf(config Server) offer.Source {
	return offer.Source{Server: config.Name, Trusted: config.Trusted || config.Local != nil, Wanted: policy.Wanted(config.EnabledTools, config.DisabledTools)}
}
