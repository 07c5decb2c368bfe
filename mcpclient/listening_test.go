package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// herald is a server of the newest revision that announces what changes. What becomes of its streams is a test's, in a synctest bubble.
type herald struct {
	streams []error       // how they end, one after the other, at once unless they are cut off; the next one stays open
	waking  time.Duration // before it answers for the first time

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
		result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"herald","version":"1"}}`
	case "tools/list":
		h.lists++
		result = fmt.Sprintf(`{"tools":[{"name":"tool%d","inputSchema":{"type":"object"}}]}`, h.lists)
	case "subscriptions/listen":
		if h.listens++; h.listens <= len(h.streams) {
			switch end := h.streams[h.listens-1].(type) { //nolint:errorlint // the test made it
			case nil:
			case refused:
				return &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID, Error: &mcp.JSONRPCErrorDetails{Code: int(end), Message: "no"}}, nil
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
	h.notify(mcp.JSONRPCNotification{Notification: mcp.Notification{Method: mcp.MethodNotificationSubscriptionsAcknowledged}})
}

// lasting is a stream that is fine until it is cut off. h.mu is held.
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
func (h *herald) GetSessionId() string                                            { return "" } //nolint:staticcheck // the interface's name
func (h *herald) SetProtocolVersion(string)                                       {}

// listened is how often it was asked for a stream.
func (h *herald) listened() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listens
}

func (h *herald) connect(ctx, life context.Context, config Server, a *elicit.Answerer) (*conn.Conn, error) {
	return connectTo(ctx, life, h, config, a)
}

// connectTo makes a link through a transport of a test.
func connectTo(ctx, life context.Context, through transport.Interface, config Server, a *elicit.Answerer) (*conn.Conn, error) {
	return conn.Over(ctx, life, conn.Line{Transport: through, Questions: elicit.New(a)}, placeOf(config))
}

// refused is how a stream ends that the server answers with an error of that code.
type refused int

func (r refused) Error() string { return "refused" }

// cutOff is how a stream ends that lasts so long, and then has no answer at its end.
type cutOff time.Duration

func (cutOff) Error() string { return "unexpected nil response" }

// withHerald tells how a server is after a minute in which nobody used it.
func withHerald(t *testing.T, h *herald, story func(set *Set, s ServerStatus)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		board := &Board{}
		set := Start(t.Context(), []Server{{Name: "herald", URL: "http://herald.example"}}, Options{Board: board, connect: h.connect})
		defer set.Close()
		if err := set.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		story(set, board.Servers()[0])
	})
}

var errRefused = &transport.Error{Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}

func TestAServerThatIsGoneWhileNobodyUsesItComesBack(t *testing.T) {
	h := &herald{streams: []error{nil, errRefused, errRefused, errRefused}}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		if s.State != ServerReady || h.listens != 5 || h.lists != 2 {
			t.Errorf("%+v after %d streams and %d lists", s, h.listens, h.lists)
		}
	})
	h = &herald{streams: []error{errRefused, errRefused, errors.New("busy"), errRefused, errRefused}}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		if s.State != ServerReady || h.listens != 6 {
			t.Errorf("a server that is there from time to time: %+v after %d streams", s, h.listens)
		}
	})
}

// A server that says the newest revision and does not know how to announce is as good as any other, and is not asked again.
func TestAServerThatDoesNotListenIsLeftAlone(t *testing.T) {
	h := &herald{streams: []error{refused(mcp.METHOD_NOT_FOUND)}}
	withHerald(t, h, func(set *Set, s ServerStatus) {
		time.Sleep(time.Hour)
		if n := h.listened(); s.State != ServerReady || n != 1 || len(set.Tools()) != 1 {
			t.Errorf("%+v after %d streams", s, n)
		}
	})
}

func TestAServerThatRefusesToListenIsAskedLessAndLess(t *testing.T) {
	h := &herald{}
	for range 1000 {
		h.streams = append(h.streams, refused(mcp.INTERNAL_ERROR))
	}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		if n := h.listened(); s.State != ServerReady || n != 6 { // after 0, 1, 3, 7, 15 and 31 seconds
			t.Errorf("%+v after %d streams in a minute", s, n)
		}
		time.Sleep(24 * time.Hour)
		if n := h.listened(); n > 300 {
			t.Errorf("%d streams in a day", n)
		}
	})
}

// What stands before a server ends each stream when it has been idle for a while: nothing is wrong with the server.
func TestAStreamThatIsCutOffIsOpenedAgainSoon(t *testing.T) {
	h := &herald{}
	for range 100 {
		h.streams = append(h.streams, cutOff(time.Minute))
	}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		time.Sleep(time.Hour)
		if n := h.listened(); s.State != ServerReady || n < 55 {
			t.Errorf("%+v after %d streams in an hour", s, n)
		}
	})
}

func TestAServerThatRefusedToListenIsSoonKnownToBeGone(t *testing.T) {
	no := refused(mcp.INTERNAL_ERROR)
	h := &herald{streams: []error{no, no, no, no, no, no, errRefused, errRefused, errRefused}} // the first dial that fails is after 63 s
	withHerald(t, h, func(set *Set, _ ServerStatus) {
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := h.listened(); n != 10 || len(set.Tools()) != 1 {
			t.Errorf("%d streams in six minutes", n)
		}
	})
}

// A server of the newest revision knows no other: it must not be taken for an old one because it is slow.
func TestAServerThatTakesTimeToWakeIsUsedAsWhatItIs(t *testing.T) {
	h := &herald{waking: 9 * time.Second}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		if s.State != ServerReady {
			t.Errorf("%+v", s)
		}
	})
}

func TestAServerWantsALoginWhileNobodyUsesIt(t *testing.T) {
	h := &herald{streams: []error{nil, &conn.Error{Kind: conn.ErrLoginNeeded, Text: "log in"}}}
	withHerald(t, h, func(_ *Set, s ServerStatus) {
		if s.State != ServerNeedsLogin || s.Detail != "log in" {
			t.Errorf("%+v", s)
		}
	})
}

// What a server announces while there is no stream to say it on is lost.
func TestANewStreamMayHaveMissedSomething(t *testing.T) {
	h := &herald{streams: []error{nil}}
	withHerald(t, h, func(set *Set, _ ServerStatus) {
		if tools := set.Tools(); h.lists != 2 || len(tools) != 1 || tools[0].ServerTool != "tool2" {
			t.Errorf("%d lists, %+v", h.lists, tools)
		}
	})
}
