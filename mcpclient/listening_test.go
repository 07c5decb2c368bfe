package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// herald is a server of the newest revision that sends notifications. The test controls its streams, in a synctest
// bubble.
type herald struct {
	streams []error       // the results of the streams in order, immediate except for cutOff; the next stream stays open
	waking  time.Duration // delay of the first response

	mu      sync.Mutex
	listens int
	lists   int
	notify  func(mcp.JSONRPCNotification)
}

func (h *herald) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result := `{}`
	switch r.Method {
	case "initialize":
		return nil, errors.New("no such method")
	case "server/discover":
		select {
		case <-time.After(h.waking):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},` +
			`"serverInfo":{"name":"herald","version":"1"}}`
	case "tools/list":
		h.lists++
		result = fmt.Sprintf(`{"tools":[{"name":"tool%d","inputSchema":{"type":"object"}}]}`, h.lists)
	case "subscriptions/listen":
		if h.listens++; h.listens <= len(h.streams) {
			switch end := h.streams[h.listens-1].(type) { //nolint:errorlint // the test chose the result
			case nil:
			case refused:
				return &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID,
					Error: &mcp.JSONRPCErrorDetails{Code: int(end), Message: "no"}}, nil
			case cutOff:
				return nil, h.lasting(ctx, end)
			default:
				return nil, end
			}
		}
		h.acknowledge()
		if h.listens > len(h.streams) {
			h.mu.Unlock()
			<-ctx.Done()
			h.mu.Lock()
			return nil, ctx.Err()
		}
	}
	return &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID, Result: json.RawMessage(result)}, nil
}

func (h *herald) acknowledge() {
	const acknowledged = mcp.MethodNotificationSubscriptionsAcknowledged
	h.notify(mcp.JSONRPCNotification{Notification: mcp.Notification{Method: acknowledged}})
}

// lasting is a stream that works until it is cut off. h.mu is held.
func (h *herald) lasting(ctx context.Context, end cutOff) error {
	h.acknowledge()
	h.mu.Unlock()
	defer h.mu.Lock()
	select {
	case <-time.After(time.Duration(end)):
		return end
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *herald) Start(context.Context) error                                     { return nil }
func (h *herald) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }
func (h *herald) SetNotificationHandler(handler func(mcp.JSONRPCNotification))    { h.notify = handler }
func (h *herald) Close() error                                                    { return nil }

//nolint:staticcheck // the interface's name
func (h *herald) GetSessionId() string      { return "" }
func (h *herald) SetProtocolVersion(string) {}

func (h *herald) connect(ctx, life context.Context, config Server, a *elicit.Handler) (*conn.Conn, error) {
	return conn.Over(ctx, life, h, nil, config, a)
}

// refused ends a stream with an error of this code.
type refused int

func (r refused) Error() string { return "refused" }

// cutOff ends a stream after this time, without a response.
type cutOff time.Duration

func (cutOff) Error() string { return "unexpected nil response" }

var errRefused = &transport.Error{Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}

// TestNotificationStreams compares the servers after a minute or more without use.
func TestNotificationStreams(t *testing.T) {
	no := refused(mcp.INTERNAL_ERROR)
	for name, c := range map[string]struct {
		herald      *herald
		wait        time.Duration // in addition to a minute
		least, most int           // streams
		lists       int           // 0 means any
		state       ServerState   // "" means ready
	}{
		"gone and back": {herald: &herald{streams: []error{nil, errRefused, errRefused, errRefused}}, least: 5, most: 5,
			lists: 2},
		"there at times": {herald: &herald{streams: []error{errRefused, errRefused, errors.New("busy"), errRefused,
			errRefused}}, least: 6, most: 6},
		"does not listen": {herald: &herald{streams: []error{refused(mcp.METHOD_NOT_FOUND)}}, wait: time.Hour, least: 1,
			most: 1, lists: 1},
		// after 0, 1, 3, 7, 15 and 31 seconds
		"refuses": {herald: &herald{streams: slices.Repeat([]error{no}, 1000)}, least: 6, most: 6},
		"refuses all day": {herald: &herald{streams: slices.Repeat([]error{no}, 1000)}, wait: 24 * time.Hour, least: 100,
			most: 300},
		// Proxies end idle streams.
		"cut off": {herald: &herald{streams: slices.Repeat([]error{cutOff(time.Minute)}, 100)}, wait: time.Hour, least: 55,
			most: 61},
		// A slow server must not be treated as an old one.
		"slow to wake": {herald: &herald{waking: 9 * time.Second}, least: 1, most: 1},
		"wants a login": {herald: &herald{streams: []error{nil, &conn.Error{Kind: conn.ErrLoginNeeded, Text: "log in"}}},
			least: 2, most: 2, state: ServerNeedsLogin},
		// Notifications between two streams are lost, so the tools are listed again.
		"a stream ended": {herald: &herald{streams: []error{nil}}, least: 2, most: 2, lists: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, board := c.herald, &Board{}
			set := Start(t.Context(), []Server{{Name: "herald", URL: "http://herald.example"}},
				Options{Board: board, dial: h.connect})
			defer set.Close()
			if err := set.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute + c.wait)
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			s, tools := board.Servers()[0], set.Tools()
			if s.State != cmp.Or(c.state, ServerReady) || h.listens < c.least || h.listens > c.most || c.lists > 0 &&
				h.lists != c.lists {
				t.Errorf("%s: %+v after %d streams and %d lists", name, s, h.listens, h.lists)
			}
			if want := fmt.Sprint("tool", h.lists); len(tools) != 1 || tools[0].ServerTool != want {
				t.Errorf("%s: the tools are %+v, want %s", name, tools, want)
			}
		})
	}
}
