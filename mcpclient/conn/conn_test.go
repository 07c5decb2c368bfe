package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// script returns the result of the n-th request of a method, from 1.
type script func(method string, n int) (result string, err error)

// scripted is a transport to a script.
type scripted struct {
	script
	asked map[string]int
}

func (s *scripted) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}}}`
	if r.Method != string(mcp.MethodInitialize) {
		s.asked[r.Method]++
		var err error
		if result, err = s.script(r.Method, s.asked[r.Method]); err != nil {
			return nil, err
		}
	}
	return &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID, Result: json.RawMessage(result)}, nil
}

func (s *scripted) Start(context.Context) error                                     { return nil }
func (s *scripted) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }
func (s *scripted) SetNotificationHandler(func(mcp.JSONRPCNotification))            {}
func (s *scripted) Close() error                                                    { return nil }

//nolint:staticcheck // the interface's name
func (s *scripted) GetSessionId() string { return "" }

func connect(t testing.TB, to Server, s script) *Conn {
	t.Helper()
	to.Protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	c, err := Over(t.Context(), t.Context(), &scripted{s, map[string]int{}}, nil, to, &elicit.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// offering connects to a server with one page of each list.
func offering(t testing.TB, page string) *Conn {
	return connect(t, Server{Name: "s"}, func(string, int) (string, error) { return page, nil })
}

// silentServer never answers a list of prompts.
type silentServer struct{ scripted }

func (s *silentServer) SendRequest(
	ctx context.Context, r transport.JSONRPCRequest,
) (*transport.JSONRPCResponse, error) {
	if r.Method == string(mcp.MethodPromptsList) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.scripted.SendRequest(ctx, r)
}

func TestLostConnectionEndsRequests(t *testing.T) {
	lost := make(chan struct{})
	server := &silentServer{scripted{nil, map[string]int{}}}
	to := Server{Protocol: mcp.LATEST_LEGACY_PROTOCOL_VERSION}
	c, err := Over(t.Context(), t.Context(), server, lost, to, &elicit.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var listed error
	gone := c.Run(ctx, func(News) {
		close(lost)
		_, _, listed = c.Prompts(ctx)
	})
	if !errors.Is(gone, errLost) || !errors.Is(listed, errStopped) {
		t.Errorf("Run gives %v, and the list of prompts %v", gone, listed)
	}
}

func TestEndlessLists(t *testing.T) {
	page := func(items, size int, next string) string {
		names := ""
		for i := range items {
			names += fmt.Sprintf(`{"name":"p%d"},`, i)
		}
		return fmt.Sprintf(`{"prompts":[%s{"name":""}],"x":%q,"nextCursor":%q}`, names, strings.Repeat("x", size), next)
	}
	for _, test := range []struct {
		items, size  int
		next         string // "" means another one each time
		wants, pages int
		cut          string
	}{
		{400, 1, "", MaxPrompts, 3, "[only the first 1000 prompts were read]"},
		{500, 1, "", MaxPrompts, 2, "[only the first 1000 prompts were read]"},
		{1, maxListBytes / 3 * 2, "", 2, 2, "[only the first 2 prompts were read]"},
		{0, 1, "", 0, maxPages, "[only the first 0 prompts were read]"},
		{0, 1, "the same again", 0, 2, "[]"},
	} {
		asked := 0
		c := connect(t, Server{}, func(_ string, n int) (string, error) {
			asked = n
			next := test.next
			if next == "" {
				next = fmt.Sprint(n)
			}
			return page(test.items, test.size, next), nil
		})
		all, cut, err := c.Prompts(t.Context())
		if err != nil || len(all) != test.wants || asked != test.pages || fmt.Sprint(cut) != test.cut {
			t.Errorf("%d items in %d pages, %v, %v, want %+v", len(all), asked, cut, err, test)
		}
	}
	c := connect(t, Server{}, func(_ string, n int) (string, error) {
		if n > 1 {
			return "", errors.New("gone")
		}
		return page(1, 1, "next"), nil
	})
	if got, _, err := c.Prompts(t.Context()); err == nil || len(got) != 1 {
		t.Errorf("a list that breaks off: %v, %v", got, err)
	}
}
