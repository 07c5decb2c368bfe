package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// herald is a server of the newest revision that sends notifications. The test controls its streams, in a synctest
// bubble.
type herald struct {
	streams []error       // the results of the streams in order, immediate except for cutOff; the next stream stays open
	waking  time.Duration // delay of the first response

	mu      sync.Mutex
	listens int
	lists   int
}

// RoundTrip implements http.RoundTripper.
func (h *herald) RoundTrip(r *http.Request) (*http.Response, error) {
	m := mcptest.Read(r.Body)
	respond := func(message string) (*http.Response, error) {
		return response(r, "application/json", strings.NewReader(message))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m.Method {
	case "server/discover":
		select {
		case <-time.After(h.waking):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return respond(m.Respond(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`))
	case "tools/list":
		h.lists++
		return respond(m.Tools(fmt.Sprintf(`{"name":"tool%d","inputSchema":{"type":"object"}}`, h.lists)))
	case "subscriptions/listen":
		h.listens++
		if h.listens > len(h.streams) {
			return stream(r, "", 365*24*time.Hour)
		}
		switch end := h.streams[h.listens-1].(type) { //nolint:errorlint // the test chose the result
		case nil:
			return stream(r, m.Respond("{}"), 0)
		case refused:
			return respond(m.Fail(int(end), "no"))
		case cutOff:
			return stream(r, "", time.Duration(end))
		default:
			return nil, end
		}
	}
	return respond(m.Fail(-32601, "no such method"))
}

func response(r *http.Request, kind string, body io.Reader) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body),
		Request: r}, nil
}

// stream is a stream with a last message that ends after a time.
func stream(r *http.Request, last string, lasts time.Duration) (*http.Response, error) {
	body, out := io.Pipe()
	go func() {
		fmt.Fprintf(out, "data: {\"method\":\"notifications/subscriptions/acknowledged\"}\n\ndata: %s\n\n", last)
		select {
		case <-time.After(lasts):
		case <-r.Context().Done():
		}
		out.Close()
	}()
	return response(r, "text/event-stream", body)
}

// Transport implements mcpclient.Login.
func (h *herald) Transport(http.RoundTripper) http.RoundTripper  { return h }
func (h *herald) LogIn(context.Context, mcpclient.Browser) error { return nil }
func (h *herald) Secrets() []string                              { return nil }

// refused ends a stream with an error of this code.
type refused int

func (r refused) Error() string { return "refused" }

// cutOff ends a stream after this time, without a response.
type cutOff time.Duration

func (cutOff) Error() string { return "unexpected nil response" }

var errRefused = &net.OpError{Op: "dial", Err: errors.New("connection refused")}

// TestNotificationStreams compares the servers after a minute or more without use.
func TestNotificationStreams(t *testing.T) {
	no := refused(mcp.INTERNAL_ERROR)
	for name, c := range map[string]struct {
		herald      *herald
		wait        time.Duration         // in addition to a minute
		least, most int                   // streams
		lists       int                   // 0 means any
		state       mcpclient.ServerState // "" means ready
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
		"wants a login": {herald: &herald{streams: []error{nil, &conn.Error{Kind: mcpclient.ErrLoginNeeded, Text: "log in"}}},
			least: 2, most: 2, state: mcpclient.ServerNeedsLogin},
		// Notifications between two streams are lost, so the tools are listed again.
		"a stream ended": {herald: &herald{streams: []error{nil}}, least: 2, most: 2, lists: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := c.herald
			set, board := ready(t, mcpclient.Server{Name: "herald", URL: "http://herald.example", Login: h})
			time.Sleep(time.Minute + c.wait)
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			s, tools := board.Servers()[0], set.Tools()
			if s.State != cmp.Or(c.state, mcpclient.ServerReady) || h.listens < c.least || h.listens > c.most || c.lists > 0 &&
				h.lists != c.lists {
				t.Errorf("%s: %+v after %d streams and %d lists", name, s, h.listens, h.lists)
			}
			if want := fmt.Sprint("tool", h.lists); len(tools) != 1 || tools[0].ServerTool != want {
				t.Errorf("%s: the tools are %+v, want %s", name, tools, want)
			}
		})
	}
}
