package conn

import (
	"context"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// dialLocal connects to a server in this process. Ours ask nothing back.
func dialLocal(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	to.Protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	return Over(ctx, life, Line{Transport: transport.NewInProcessTransport(to.Local), Requests: elicit.NewRequests(a)}, to)
}
