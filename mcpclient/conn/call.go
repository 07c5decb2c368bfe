package conn

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
)

// The members of _meta by which a built-in server learns the basis of a change that was shown, and says that it has
// changed. They are builtin.BasisKey and builtin.ChangedKey.
const (
	metaBasis   = "aloud/basis"
	metaChanged = "aloud/changed"
)

// Call calls a tool with arguments, an object or nil. basis is what Insider.Preview returned, or "". progress may be
// nil. It is called from one goroutine at a time, and not after Call has returned. Call returns soon after ctx ends,
// even if the server does not respond.
func (c *Conn) Call(
	ctx context.Context, tool mcpclient.Tool, arguments json.RawMessage, basis string, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	defer c.requests.BeginCall(ctx)()
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	params := mcp.CallToolParams{Name: tool.ServerTool, Arguments: arguments}
	if basis != "" || progress != nil {
		params.Meta = &mcp.Meta{}
	}
	if basis != "" {
		params.Meta.SetMetaField(metaBasis, basis)
	}
	var news <-chan mcpclient.Progress
	if progress != nil {
		token, box, forget := c.events.follow()
		defer forget()
		params.Meta.ProgressToken, news = token, box
	}
	raw, err := c.await(ctx, news, progress, func(ctx context.Context) (json.RawMessage, error) {
		c.awaitStream(ctx)
		return c.exchange(ctx, mcp.MethodToolsCall, params, &tool)
	})
	if err != nil {
		return mcpclient.Result{}, err
	}
	result, err := readResult(raw, tool.Output, c.requests.Secrets)
	if basis != "" && err == nil {
		var answer struct {
			Meta map[string]any `json:"_meta"`
		}
		_ = json.Unmarshal(raw, &answer) // read above
		result.Outdated = answer.Meta[metaChanged] == true
	}
	return result, err
}
