package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// Local is a server in this process. *builtin.Server implements it.
type Local interface {
	// Serve serves one client, with a message on each line, until in or ctx ends. It is called once for each connection.
	// A call that panics must only fail that call.
	Serve(ctx context.Context, in io.Reader, out io.Writer) error
}

func dialLocal(ctx context.Context, to Server, h *elicit.Handler) (*Conn, error) {
	c := newConn(to, h)
	local := stdio.StartLocal(to.Local.Serve, c.handleMessage)
	c.wire, c.closing = local.Wire, local.Close
	return c, c.start(ctx, cmp.Or(to.Protocol, latestLegacy))
}

// Insider previews the calls of a built-in server, which the protocol does not support. *builtin.Server implements it.
type Insider interface {
	// Preview returns the change that a call would make as a unified diff, or "" for none, and its basis, or "" for tools
	// that change nothing. A call that carries the basis fails if the file has changed since; see builtin.BasisKey.
	// Preview returns an error, and may return a basis, if the call would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff, basis string, err error)
	// Caution returns a short reason why a call always needs approval, or "" if it does not.
	Caution(tool string, arguments json.RawMessage) string
	// Sources returns the addresses that a call reads, as far as its arguments contain them.
	Sources(tool string, arguments json.RawMessage) []string
}
