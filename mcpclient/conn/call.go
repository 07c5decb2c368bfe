package conn

import (
	"context"
	"encoding/json"
)

// Call calls a tool with arguments, a JSON object. progress may be nil. It is called from one goroutine at a time, and
// not after Call has returned. Call returns soon after ctx ends, even if the server does not respond.
func (c *Conn) Call(
	ctx context.Context, tool Tool, arguments json.RawMessage, progress func(Progress),
) (Result, error) {
	defer c.requests.BeginCall(ctx)()
	params := map[string]any{"name": tool.ServerTool}
	if len(arguments) > 0 {
		params["arguments"] = arguments
	}
	var news <-chan Progress
	if progress != nil {
		token, box, forget := c.events.follow()
		defer forget()
		params["_meta"] = map[string]any{"progressToken": token}
		news = box
	}
	raw, err := c.await(ctx, news, progress, func(ctx context.Context) (json.RawMessage, error) {
		c.awaitStream(ctx)
		return c.exchange(ctx, methodCall, params, &tool)
	})
	if err != nil {
		return Result{}, err
	}
	return readResult(raw, tool.Output, c.requests.Secrets)
}
