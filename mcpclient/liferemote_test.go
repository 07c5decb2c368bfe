package mcpclient

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// place is an address on this machine where a server may come and go.
type place struct {
	t       *testing.T
	address string
	running *httptest.Server
}

// open has a server listen at the place, the first time at a free port.
func (p *place) open() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.address = listener.Addr().String()
	p.running = &httptest.Server{Listener: listener, Config: &http.Server{Handler: server.NewStreamableHTTPServer(workshop(p.t))}}
	p.running.Start()
}

func (p *place) close() {
	p.running.CloseClientConnections()
	p.running.Close()
}

func TestAServerOverHTTPThatComesAndGoes(t *testing.T) {
	there := &place{t: t, address: "127.0.0.1:0"}
	there.open()
	there.close()
	// It is started later than we are.
	set, board := ready(t, Server{Name: "shop", URL: "http://" + there.address + "/mcp"})
	if s := board.Servers()[0]; s.State != ServerReconnecting || !strings.Contains(s.Detail, "connection refused") {
		t.Errorf("before it is there: %+v", s)
	}
	there.open()
	await(t, board, func(s []ServerStatus) bool { return s[0].State == ServerReady })
	if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` {
		t.Errorf("it says %q", got)
	}

	there.close()
	_, err := set.Call(t.Context(), "shop__echo", nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `the server "shop" is gone (`) || !strings.HasSuffix(err.Error(), "and is being connected again") {
		t.Errorf("a call while it is gone: %v", err)
	}
	if s := board.Servers()[0]; s.State != ServerReconnecting {
		t.Errorf("while it is gone: %+v", s)
	}
	there.open()
	defer there.close()
	await(t, board, func(s []ServerStatus) bool { return s[0].State == ServerReady })
	if got := call(t, set, "shop__echo", `{"a":2}`).Text; got != `{"a":2}` {
		t.Errorf("when it is back it says %q", got)
	}
}
