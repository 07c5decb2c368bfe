package conn

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

var errLost = errors.New("the connection was lost")

// dialSSE connects over the transport from before 2025-03-26: the server sends all messages on one stream, whose first
// event is the address to send messages to.
func (w *web) dialSSE(ctx context.Context, to mcpclient.Server, h *elicit.Handler) (*Conn, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	c := newConn(to, h)
	c.web = w
	c.closing = func() {
		end()
		if c.wire != nil {
			<-c.wire.Gone()
		}
		w.base.CloseIdleConnections()
	}
	release := context.AfterFunc(ctx, end)
	err := c.openSSE(life, end)
	if !release() {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return nil, explain(err)
	}
	return c, c.start(ctx, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
}

// openSSE opens the stream, which lasts until life ends, and reads the address. It calls end when the stream ends.
func (c *Conn) openSSE(life context.Context, end func()) error {
	response, err := c.do(life, http.MethodGet, c.server.URL, nil, http.Header{})
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return cmp.Or(accepted(response), errNotMCP)
	}
	var given string
	var failure error // reported by the server
	in := sse.NewReader(response.Body, maxResponse)
	err = eachEvent(in, func(e sse.Event) bool {
		given, failure = string(e.Data), errorIn(e)
		return e.Name != "endpoint" && failure == nil
	})
	address := ""
	if err = cmp.Or(failure, err); err == nil {
		address, err = messageAddress(c.server.URL, given)
	}
	if err != nil {
		_ = response.Body.Close()
		return err
	}
	c.wire = jsonrpc.NewWire(func(ctx context.Context, message []byte) error {
		ctx, stop := context.WithCancel(ctx) // without a timeout, because some servers accept a call when it is done
		defer context.AfterFunc(life, stop)()
		defer stop()
		return c.undelivered(c.deliver(ctx, address, message))
	}, func(m jsonrpc.Message) { c.handleMessage(life, m) })
	go func() {
		defer response.Body.Close()
		failure := errLost
		_ = eachEvent(in, func(e sse.Event) bool {
			if failure = errLost; !c.wire.Receive(e.Data) {
				failure = cmp.Or(errorIn(e), errLost)
			}
			return true
		})
		c.wire.End(failure)
		end()
	}()
	return nil
}
