package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

const (
	// maxRounds is how often a server may ask for input before it returns a result.
	maxRounds = 10

	// cancelTimeout is how long a cancelled request waits until the server knows of that.
	cancelTimeout = 500 * time.Millisecond
)

// request sends a request and returns the raw result.
func (c *Conn) request(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return c.await(ctx, nil, nil, func(ctx context.Context) (json.RawMessage, error) {
		return c.exchange(ctx, method, params, nil)
	})
}

// await runs a request on its own goroutine, and waits for its end. That is at once when the connection is stopped, and
// soon after ctx ends. Meanwhile it calls report with the progress.
func (c *Conn) await(
	ctx context.Context, progress <-chan mcpclient.Progress, report func(mcpclient.Progress),
	request func(context.Context) (json.RawMessage, error),
) (result json.RawMessage, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = request(ctx)
	}()
	for {
		select {
		case p := <-progress:
			report(p)
		case <-c.stopped:
			cancel()
			<-done
			return nil, errStopped
		case <-done:
			select {
			case p := <-progress: // it came before the result
				report(p)
			default:
			}
			return result, err
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
	ctx context.Context, method mcp.MCPMethod, params any, tool *mcpclient.Tool,
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

// roundTrip sends a request and waits for the response, which has a result or an error. tool is the tool of a call,
// else nil.
func (c *Conn) roundTrip(
	ctx context.Context, method mcp.MCPMethod, params any, tool *mcpclient.Tool,
) (jsonrpc.Message, error) {
	if err := ctx.Err(); err != nil {
		return jsonrpc.Message{}, cancelled(err, mcpclient.ErrUnasked)
	}
	raw, err := c.encoded(params)
	if err != nil {
		return jsonrpc.Message{}, err
	}
	request := jsonrpc.Message{Method: method, Params: raw}
	response, err := c.send(ctx, request, tool)
	if err == nil && slices.Contains(supportedBy(response.Error), c.agreed()) { // another instance may support it
		response, err = c.send(ctx, request, tool)
	}
	return response, err
}

// send sends a request once, with a new id.
func (c *Conn) send(
	ctx context.Context, request jsonrpc.Message, tool *mcpclient.Tool,
) (response jsonrpc.Message, err error) {
	request.ID = c.newID()
	c.log.message(sent, request)
	if c.wire != nil {
		response, err = c.wire.Call(ctx, request)
	} else {
		response, err = c.ask(ctx, request, tool)
	}
	switch {
	case err != nil:
		c.log.failed(err)
		if ctx.Err() != nil {
			return jsonrpc.Message{}, c.abandon(ctx, request)
		}
		return jsonrpc.Message{}, explain(err)
	case response.Error == nil && response.Result == nil:
		err = errNothing
	}
	c.log.message(received, response)
	return response, err
}

func (c *Conn) newID() json.RawMessage { return json.RawMessage(strconv.FormatInt(c.ids.Add(1), 10)) }

// abandon cancels a request at the server. For a tool call the error is ErrUnconfirmed if that may have failed.
func (c *Conn) abandon(ctx context.Context, request jsonrpc.Message) error {
	if !c.cancel(ctx, request) && request.Method == mcp.MethodToolsCall {
		return cancelled(ctx.Err(), mcpclient.ErrUnconfirmed)
	}
	return ctx.Err()
}

// cancel cancels a request at the server, and reports whether that succeeded.
func (c *Conn) cancel(ctx context.Context, request jsonrpc.Message) bool {
	switch {
	case request.Method == mcp.MethodInitialize || request.Method == mcp.MethodServerDiscover: // must not be cancelled
		return false
	case c.wire == nil && c.isModern():
		return true // closing the stream cancels the request
	}
	select {
	case <-c.stopped: // closing the connection cancels the request
		return false
	default:
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	err := c.notify(ctx, mcp.MethodNotificationCancelled, mcp.CancelledNotificationParams{
		RequestId: mcp.NewRequestId(request.ID), Reason: "stopped",
	})
	if c.web != nil || c.isModern() || err != nil || request.Method != mcp.MethodToolsCall {
		return err == nil
	}
	// The notification is only queued. A server that answers the next ping has read it.
	_, err = c.wire.Call(ctx, jsonrpc.Message{ID: c.newID(), Method: mcp.MethodPing})
	return err == nil
}

// notify sends a notification. params may be nil.
func (c *Conn) notify(ctx context.Context, method mcp.MCPMethod, params any) (err error) {
	m := jsonrpc.Message{Method: method}
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return err
		}
	}
	return c.tell(ctx, m)
}

// tell sends a notification or a response.
func (c *Conn) tell(ctx context.Context, m jsonrpc.Message) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	c.log.message(sent, m)
	if c.wire != nil {
		return c.wire.Send(ctx, m)
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.deliver(ctx, c.server.URL, body)
}
