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
	// Preview returns the change that a call would make as a unified diff, or "" for none, and what the change is based
	// on. A call with this basis changes nothing if something else has changed meanwhile; see builtin.BasisKey. The basis
	// is "" for calls that change nothing. Preview returns an error if the call would fail, also with a basis.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff, basis string, err error)
	// Caution returns a short reason why a call always needs approval, or "" if it does not.
	Caution(tool string, arguments json.RawMessage) string
	// Sources returns the addresses that a call reads, as far as its arguments contain them.
	Sources(tool string, arguments json.RawMessage) []string
}
