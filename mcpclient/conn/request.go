package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxRounds is how often a server may ask for input before it returns a result.
	maxRounds = 10

	// confirmTimeout is how long a cancelled request waits for confirmation by the server.
	confirmTimeout = 500 * time.Millisecond

	// cancelTimeout limits the sending of a cancellation.
	cancelTimeout = 2 * time.Second
)

// requestFunc sends a request and returns the raw result.
type requestFunc func(context.Context) (json.RawMessage, error)

// request sends a request and returns the raw result.
func (c *Conn) request(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return c.await(ctx, nil, nil, func(ctx context.Context) (json.RawMessage, error) {
		return c.exchange(ctx, method, params, nil)
	})
}

// await runs a request on its own goroutine. It returns at once when the connection is stopped, and soon after ctx
// ends, even if the transport blocks. Meanwhile it calls report with the progress.
func (c *Conn) await(
	ctx context.Context, progress <-chan Progress, report func(Progress), request requestFunc,
) (json.RawMessage, error) {
	type outcome struct {
		result json.RawMessage
		err    error
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		result, err := request(working)
		done <- outcome{result, err}
	}()
	for {
		select {
		case p := <-progress:
			report(p)
		case o := <-done:
			select {
			case p := <-progress: // it came before the result
				report(p)
			default:
			}
			return o.result, o.err
		case <-c.stopped:
			return nil, errStopped
		case <-ctx.Done():
			select {
			case o := <-done:
				if errors.Is(o.err, ErrUnasked) || errors.Is(o.err, ErrUnconfirmed) {
					return nil, o.err
				}
				return nil, ctx.Err()
			case <-time.After(confirmTimeout):
				return nil, cancelled(ctx.Err(), ErrUnconfirmed)
			}
		}
	}
}

// cancelled returns the error of a cancelled request: the cause, and whether the server may have processed it.
func cancelled(why, fate error) error {
	return &Error{Kind: fate, Text: why.Error() + "; " + fate.Error(), Cause: why}
}

// exchange sends a request and returns the raw result. If the server asks for input first, it provides that and sends
// the request again.
func (c *Conn) exchange(
	ctx context.Context, method mcp.MCPMethod, params any, tool *Tool,
) (json.RawMessage, error) {
	sent, begun := params, false
	for round := 1; ; round++ {
		response, err := c.roundTrip(ctx, method, sent, tool)
		switch {
		case begun && (Unreachable(err) || errors.Is(err, ErrSessionLost)):
			return nil, errHalfDone
		case err != nil:
			return nil, err
		}
		switch method {
		case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead: // only these may ask for input
			more, again, err := c.requests.ProvideInput(ctx, response, round)
			switch {
			case err != nil:
				return nil, err
			case again && round == maxRounds:
				return nil, fmt.Errorf("the server asked for input %d times without a result", round)
			case again:
				if len(more) > 0 {
					begun = true
					if sent, err = withMembers(params, more); err != nil {
						return nil, err
					}
				}
				continue
			}
		}
		if response.Error != nil {
			return nil, errorOf(response.Error)
		}
		return response.Result, nil
	}
}

// withMembers returns params as an object with more members.
func withMembers(params any, more map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	maps.Copy(members, more)
	return members, nil
}

// roundTrip sends a request and waits for the response, which has a result or an error.
func (c *Conn) roundTrip(
	ctx context.Context, method mcp.MCPMethod, params any, tool *Tool,
) (*transport.JSONRPCResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancelled(err, ErrUnasked)
	}
	params, header, err := c.asAgreed(method, params, tool)
	if err != nil {
		return nil, err
	}
	request := transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, Method: string(method), Params: params, Header: header,
	}
	response, err := c.send(ctx, request)
	if err == nil && c.rejectsRevision(response) { // another instance of the server may support it
		response, err = c.send(ctx, request)
	}
	return response, err
}

// send sends a request once, with a new id.
func (c *Conn) send(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	request.ID = c.newID()
	c.log.message(sent, request)
	ctx, trip := withTrip(ctx)
	response, err := c.transport.SendRequest(ctx, request)
	status := trip.lastStatus()
	var wrong error
	switch {
	case err != nil:
		c.log.failed(err)
	case forgotSession(status, response):
		err = transport.ErrSessionTerminated
	case !answers(request, response) && !c.rejectsRevision(response):
		wrong = errWrongID
	case response.Error == nil && response.Result == nil:
		wrong = errNothing
	}
	if response != nil {
		c.log.message(received, response)
	}
	switch {
	case err == nil && wrong != nil:
		return response, trip.refusal(wrong)
	case err == nil:
		return response, nil
	case errors.Is(err, transport.ErrSessionTerminated) && status >= 200 && status < 300:
		return nil, errSessionEnded
	case errors.Is(err, transport.ErrSessionTerminated):
		return nil, ErrSessionLost
	case ctx.Err() != nil:
		return nil, c.abandon(ctx, request)
	case status != 0 && Unreachable(err): // the server accepted the request before
		return nil, errHalfDone
	}
	return nil, trip.explain(err)
}

var (
	errWrongID = errors.New("the response has the id of another request") // mcp-go does not check that over HTTP
	errNothing = errors.New("the response has neither a result nor an error")
)

// answers reports whether a response is for this request. Some servers return the id 1 as "1", or null for a request
// that they cannot parse.
func answers(request transport.JSONRPCRequest, response *transport.JSONRPCResponse) bool {
	if response.ID.IsNil() {
		return response.Error != nil
	}
	return fmt.Sprint(response.ID.Value()) == fmt.Sprint(request.ID.Value())
}

// newID returns the id of the next request. On SSE mcp-go takes a request of the server for a response if it has the
// id of one of our requests.
func (c *Conn) newID() mcp.RequestId {
	id := c.ids.Add(1)
	if c.server.Transport == "sse" {
		return mcp.NewRequestId(fmt.Sprintf("aloud-%d", id))
	}
	return mcp.NewRequestId(id)
}

// abandon cancels a request at the server. For a tool call the error is ErrUnconfirmed if that may have failed.
func (c *Conn) abandon(ctx context.Context, request transport.JSONRPCRequest) error {
	if !c.cancel(ctx, request) && request.Method == string(mcp.MethodToolsCall) {
		return cancelled(ctx.Err(), ErrUnconfirmed)
	}
	return ctx.Err()
}

// cancel cancels a request at the server, and reports whether that succeeded.
func (c *Conn) cancel(ctx context.Context, request transport.JSONRPCRequest) bool {
	switch mcp.MCPMethod(request.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover: // must not be cancelled
		return false
	}
	if _, remote := c.transport.(transport.HTTPConnection); remote && c.isModern() {
		return true // closing the stream cancels the request
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	params := map[string]any{"requestId": request.ID, "reason": "stopped"}
	err := c.notify(ctx, mcp.MethodNotificationCancelled, params)
	if c.lines == nil || c.isModern() || err != nil || request.Method != string(mcp.MethodToolsCall) {
		return err == nil
	}
	// The notification is only queued. A server that answers the next ping has read it.
	_, err = c.lines.SendRequest(ctx, transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: c.newID(), Method: string(mcp.MethodPing),
	})
	return err == nil
}

// notify sends a notification.
func (c *Conn) notify(ctx context.Context, method mcp.MCPMethod, params map[string]any) error {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: string(method), Params: mcp.NotificationParams{AdditionalFields: params},
	}}
	c.log.message(sent, n)
	return c.transport.SendNotification(ctx, n)
}
