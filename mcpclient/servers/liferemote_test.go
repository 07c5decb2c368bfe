package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
)

// place is a local address where a test can start and stop servers.
type place struct {
	t       *testing.T
	address string
	running *httptest.Server
}

// open starts a server at the place, the first time at a free port.
func (p *place) open() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.address)
	must(p.t, err)
	p.address = listener.Addr().String()
	p.running = &httptest.Server{Listener: listener,
		Config: &http.Server{Handler: server.NewStreamableHTTPServer(workshop(p.t))}}
	p.running.Start()
}

func (p *place) close() {
	p.running.CloseClientConnections()
	p.running.Close()
}

func TestHTTPServerComesAndGoes(t *testing.T) {
	there := &place{t: t, address: "127.0.0.1:0"}
	there.open()
	there.close()
	set, board := ready(t, mcpclient.Server{Name: "shop", URL: "http://" + there.address + "/mcp"})
	if s := board.Servers()[0]; s.State != mcpclient.ServerFailed || !strings.Contains(s.Detail, "refused") {
		t.Errorf("before it is there: %+v", s)
	}
	there.open()
	must(t, set.Restart(t.Context(), "shop"))
	if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` {
		t.Errorf("it says %q", got)
	}

	there.close()
	_, _ = set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil) // its first connection may be lost
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `server "shop" was disconnected and cannot be restarted: `) {
		t.Errorf("a call while it is gone: %v", err)
	}
	there.open()
	defer there.close()
	if got := call(t, set, "shop__echo", `{"a":2}`).Text; got != `{"a":2}` {
		t.Errorf("when it is back it says %q", got)
	}
}

// A server must not get a call twice after it accepted it, even if the rest of the response is lost.
func TestAcceptedCallIsNotRepeated(t *testing.T) {
	for name, begins := range map[string]struct{ protocol, kind, answer string }{
		"polled": {mcp.LATEST_LEGACY_PROTOCOL_VERSION, "text/event-stream", "id: 1\nretry: 1\ndata: {}\n\n"},
		"asked for more": {mcp.LATEST_PROTOCOL_VERSION, "application/json",
			`{"jsonrpc":"2.0","id":%v,"result":{"resultType":"input_required","requestState":"half"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			shop := server.NewStreamableHTTPServer(workshop(t))
			var there *httptest.Server
			there = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var message struct {
					ID     any
					Method string
				}
				_ = json.Unmarshal(body, &message)
				w.Header().Set("Connection", "close")
				if message.Method != "tools/call" {
					r.Body = io.NopCloser(bytes.NewReader(body))
					shop.ServeHTTP(w, r)
					return
				}
				_ = there.Listener.Close()
				w.Header().Set("Content-Type", begins.kind)
				_, _ = io.WriteString(w, strings.ReplaceAll(begins.answer, "%v", fmt.Sprint(message.ID)))
			}))
			defer there.Close()
			defer there.CloseClientConnections()
			set, _ := ready(t, mcpclient.Server{Name: "shop", URL: there.URL + "/mcp", Protocol: begins.protocol})
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil)
			want := "the server accepted the request and became unreachable, so it may have been processed"
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}
