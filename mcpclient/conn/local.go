package conn

import (
	"cmp"
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

func dialLocal(ctx context.Context, to mcpclient.Server, h *elicit.Handler) (*Conn, error) {
	c := newConn(to, h)
	local := stdio.StartLocal(to.Local.Serve, func(m jsonrpc.Message) {
		c.handleMessage(context.Background(), m)
	})
	c.wire, c.output, c.closing = local.Wire, local.Tail, local.Close
	return c, c.start(ctx, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
}
