package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxRounds is how often a server may want something before it answers a request.
	maxRounds = 10

	// confirmTime is how long a request that was given up waits for the server to let go of it.
	confirmTime = 500 * time.Millisecond

	// cancelTimeout bounds notifications, which are sent as a courtesy.
	cancelTimeout = 2 * time.Second
)

// request asks the server for something and returns the raw result.
func (c *Conn) request(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return c.await(ctx, nil, nil, func(ctx context.Context) (json.RawMessage, error) {
		return c.converse(ctx, method, params, nil)
	})
}

// await runs a request and returns its outcome. It returns at once when the connection is stopped, and soon after ctx ends, whatever the transport
// does: the rest of the request ends on its own goroutine. tell is called with news meanwhile, never after await returned.
func (c *Conn) await(ctx context.Context, news <-chan Progress, tell func(Progress), request func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	type outcome struct {
		result json.RawMessage
		err    error
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a built-in server runs in this process
				o.err = fmt.Errorf("it crashed: %v", p)
			}
			done <- o
		}()
		o.result, o.err = request(working)
	}()
	for {
		select {
		case p := <-news:
			tell(p)
		case o := <-done:
			select {
			case p := <-news: // what came before the result is told before it
				tell(p)
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
			case <-time.After(confirmTime):
				return nil, givenUp(ctx.Err(), ErrUnconfirmed)
			}
		}
	}
}

// givenUp is the error of a request that was given up for a reason, with what is known of its server.
func givenUp(why, known error) error {
	return &Error{Kind: known, Text: why.Error() + "; " + known.Error(), Cause: why}
}

// converse sends a request and returns the raw result. As long as the server wants something before it answers, it gets that, and the request is
// sent again.
func (c *Conn) converse(ctx context.Context, method mcp.MCPMethod, params any, tool *Tool) (json.RawMessage, error) {
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
		case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead: // only these may be answered with a question
			more, again, err := c.requests.ProvideInput(ctx, response, round)
			switch {
			case err != nil:
				return nil, err
			case again && round == maxRounds:
				return nil, fmt.Errorf("it asked for more %d times and did not answer", round)
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
			return nil, answered(response.Error)
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

// roundTrip sends one request and waits for the response to it, which has a result or an error in it.
func (c *Conn) roundTrip(ctx context.Context, method mcp.MCPMethod, params any, tool *Tool) (*transport.JSONRPCResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, givenUp(err, ErrUnasked)
	}
	params, header, err := c.asAgreed(method, params, tool)
	if err != nil {
		return nil, err
	}
	response, err := c.send(ctx, method, params, header)
	if err == nil && c.deniesRevision(response) { // once more: it may have been another instance's answer
		response, err = c.send(ctx, method, params, header)
	}
	return response, err
}

// send sends one request once.
func (c *Conn) send(ctx context.Context, method mcp.MCPMethod, params any, header http.Header) (*transport.JSONRPCResponse, error) {
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: c.newID(), Method: string(method), Params: params, Header: header}
	c.server.Log.message(sent, request)
	ctx, trip := withTrip(ctx)
	response, err := c.transport.SendRequest(ctx, request)
	switch {
	case err != nil:
		c.server.Log.failed(err)
	case forgotSession(trip.lastStatus(), response):
		err = transport.ErrSessionTerminated
	case !answers(request, response) && !c.deniesRevision(response):
		err = errForeign
	case response.Error == nil && response.Result == nil:
		err = errNothing
	}
	if response != nil {
		c.server.Log.message(received, response)
	}
	status := trip.lastStatus()
	switch {
	case err == nil:
		return response, nil
	case errors.Is(err, transport.ErrSessionTerminated) && status >= 200 && status < 300:
		return nil, errSessionEnded
	case errors.Is(err, transport.ErrSessionTerminated):
		return nil, ErrSessionLost
	case ctx.Err() != nil:
		return nil, c.abandon(ctx, request)
	case status != 0 && Unreachable(err): // its answer was to be fetched
		return nil, errHalfDone
	}
	return nil, trip.explain(err)
}

var (
	// errForeign is for HTTP, where mcp-go takes any response for the one to its request.
	errForeign = errors.New("it answered another request than the one that was sent")
	// errNothing is for a response that is none. Over HTTP the status usually says why.
	errNothing = errors.New("its answer has neither a result nor an error in it")
)

// answers reports whether a response is to this request. Some servers answer to 1 with "1", and with null to what they could not read.
func answers(request transport.JSONRPCRequest, response *transport.JSONRPCResponse) bool {
	if response.ID.IsNil() {
		return response.Error != nil
	}
	return fmt.Sprint(response.ID.Value()) == fmt.Sprint(request.ID.Value())
}

// newID returns the id of the next request. On the old SSE transport a request of the server's with the number of one of ours would be taken for
// the answer to it.
func (c *Conn) newID() mcp.RequestId {
	id := c.ids.Add(1)
	if c.server.SSE {
		return mcp.NewRequestId(fmt.Sprintf("aloud-%d", id))
	}
	return mcp.NewRequestId(id)
}

// abandon tells the server that a request is given up. The error of a tool call says whether that got through.
func (c *Conn) abandon(ctx context.Context, request transport.JSONRPCRequest) error {
	if told := c.cancel(ctx, request); !told && request.Method == string(mcp.MethodToolsCall) {
		return givenUp(ctx.Err(), ErrUnconfirmed)
	}
	return ctx.Err()
}

// cancel tells the server that a request is given up, and reports whether that worked.
func (c *Conn) cancel(ctx context.Context, request transport.JSONRPCRequest) (told bool) {
	switch mcp.MCPMethod(request.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover: // these may not be cancelled
		return false
	}
	if _, remote := c.transport.(transport.HTTPConnection); remote && c.isModern() {
		return true // the dropped stream says it
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	err := c.notify(ctx, mcp.MethodNotificationCancelled, map[string]any{"requestId": request.ID, "reason": "it was stopped"})
	if c.process == nil || c.isModern() || err != nil || request.Method != string(mcp.MethodToolsCall) {
		return err == nil
	}
	// A notification to a process is only queued. One that answers a ping behind it has read it.
	_, err = c.process.SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: c.newID(), Method: string(mcp.MethodPing)})
	return err == nil
}

// notify sends a notification.
func (c *Conn) notify(ctx context.Context, method mcp.MCPMethod, params map[string]any) error {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: string(method), Params: mcp.NotificationParams{AdditionalFields: params},
	}}
	c.server.Log.message(sent, n)
	return c.transport.SendNotification(ctx, n)
}
