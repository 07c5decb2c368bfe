package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// script returns the result of the n-th request of a method, from 1.
type script func(method string, n int) (result string, err error)

// Serve implements Local. An error of the script is one of the server.
func (s script) Serve(_ context.Context, in io.Reader, out io.Writer) error {
	return s.serve(in, out, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}}}`)
}

// serve serves a client. greeting is the result of the handshake.
func (s script) serve(in io.Reader, out io.Writer, greeting string) error {
	asked := map[string]int{}
	for lines := json.NewDecoder(in); ; {
		var m jsonrpc.Message
		if err := lines.Decode(&m); err != nil {
			return nil //nolint:nilerr // the connection was closed
		}
		if m.ID == nil {
			continue
		}
		result, err := greeting, error(nil)
		if m.Method != mcp.MethodInitialize && m.Method != mcp.MethodServerDiscover {
			method := string(m.Method)
			asked[method]++
			result, err = s(method, asked[method])
		}
		if err != nil {
			fmt.Fprintf(out, `{"id":%s,"error":{"message":%q}}`, m.ID, err)
		} else {
			fmt.Fprintf(out, `{"id":%s,"result":%s}`, m.ID, strings.ReplaceAll(result, "\n", " "))
		}
		fmt.Fprintln(out)
	}
}

func connect(t testing.TB, to mcpclient.Server, s script) *Conn {
	t.Helper()
	to.Local = s
	c, err := Dial(t.Context(), to, &elicit.Handler{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.server.Trusted = to.Trusted
	return c
}

// offering connects to a server with one page of each list.
func offering(t testing.TB, page string) *Conn {
	return connect(t, mcpclient.Server{Name: "s"}, func(string, int) (string, error) { return page, nil })
}

func TestLostConnectionEndsRequests(t *testing.T) {
	lost := make(chan struct{})
	c := connect(t, mcpclient.Server{}, func(string, int) (string, error) {
		<-lost
		panic("oh no")
	})
	var listed error
	gone := c.Run(t.Context(), func(News) {
		close(lost)
		_, _, listed = c.Prompts(t.Context())
	})
	const want = "the server crashed: oh no"
	if gone == nil || gone.Error() != want || listed == nil || listed.Error() != want {
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
		c := connect(t, mcpclient.Server{}, func(_ string, n int) (string, error) {
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
	c := connect(t, mcpclient.Server{}, func(_ string, n int) (string, error) {
		if n > 1 {
			return "", errors.New("gone")
		}
		return page(1, 1, "next"), nil
	})
	if got, _, err := c.Prompts(t.Context()); err == nil || len(got) != 1 {
		t.Errorf("a list that breaks off: %v, %v", got, err)
	}
}
