package builtin_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// online serves the clock over HTTP until the test ends, and gives the address of its host.
func online(t *testing.T, token string) string {
	t.Helper()
	s, err := builtin.New("clock", builtin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := builtin.ListenHTTP(ctx, "0", token)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- builtin.ServeHTTP(ctx, s.MCPServer, listener, token) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			t.Error("the port is still open")
		}
	})
	return listener.Addr().String()
}

func TestServeOverHTTP(t *testing.T) {
	host := online(t, "secret")
	visitor, err := transport.NewStreamableHTTP("http://"+host+builtin.HTTPPath, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer secret"}))
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(visitor)
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	succeeds(t, c, "now", args{"zone": "UTC"}, "UTC")
}

// TestNoPageGetsIn: a browser is the way into a machine for everybody whose page it shows.
func TestNoPageGetsIn(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	host, guarded := online(t, ""), online(t, "secret")
	_, port, _ := net.SplitHostPort(host)
	for name, c := range map[string]struct {
		to, host, origin, token, body string
		want                          int
	}{
		"a program":                     {to: host, want: 200},
		"by name":                       {to: host, host: "localhost:" + port, want: 200},
		"a page of this machine":        {to: host, origin: "http://localhost:3000", want: 200},
		"a name that was bent to here":  {to: host, host: "evil.example:" + port, want: 403},
		"a page of somewhere":           {to: host, origin: "https://evil.example", want: 403},
		"a page of nowhere":             {to: host, origin: "null", want: 403},
		"a bent name and its own page":  {to: host, host: "evil.example", origin: "http://evil.example", want: 403},
		"looks like this machine":       {to: host, host: "localhost.evil.example", want: 403},
		"no token":                      {to: guarded, want: 401},
		"another token":                 {to: guarded, token: "Bearer secre", want: 401},
		"no token of this kind":         {to: guarded, token: "Basic secret", want: 401},
		"the token":                     {to: guarded, token: "Bearer secret", want: 200},
		"more than anybody has to say":  {to: host, body: strings.Repeat(" ", 17<<20) + hello, want: 400},
		"the token on a page elsewhere": {to: guarded, token: "Bearer secret", origin: "https://evil.example", want: 403},
	} {
		if c.body == "" {
			c.body = hello
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.to+builtin.HTTPPath, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for header, value := range map[string]string{"Origin": c.origin, "Authorization": c.token} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		answer, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s: got %s: %s, want %d", name, response.Status, answer, c.want)
		}
	}
}

func TestOnlyThisMachineIsServedWithoutAToken(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:0": `"0.0.0.0" can be reached from other machines`, "[::]:0": "can be reached from other machines", "example.com:1": "can be reached",
		"1:2:3": `"1:2:3" is no address`, "127.0.0.1:99999": `nothing can be served on "127.0.0.1:99999"`,
	} {
		if l, err := builtin.ListenHTTP(t.Context(), address, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %q", address, l, err, want)
		}
	}
	for _, address := range []string{":0", "0", "localhost:0"} {
		l, err := builtin.ListenHTTP(t.Context(), address, "")
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if !strings.HasPrefix(l.Addr().String(), "127.0.0.1:") && !strings.HasPrefix(l.Addr().String(), "[::1]:") {
			t.Errorf("%s is served on %v", address, l.Addr())
		}
		l.Close()
	}
}

// Strangers who know no token cannot take all the places: a refused connection is closed.
func TestStrangersTakeNoPlaces(t *testing.T) {
	host := online(t, "secret")
	for range 70 { // more than there are places
		stranger, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer stranger.Close()
		if _, err := io.WriteString(stranger, "GET /mcp HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(stranger); err != nil || !strings.Contains(string(answer), "401 Unauthorized") { // to the end of the connection
			t.Fatalf("a stranger hears %q, %v", answer, err)
		}
	}
}

// pipes is a listener whose connections are made by dial, in memory.
type pipes struct {
	net.Listener
	made   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// A visitor who begins a request and never ends it is sent away.
func TestARequestWithoutAnEndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := builtin.New("clock", builtin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		listener := &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- builtin.ServeHTTP(ctx, s.MCPServer, listener, "") }()
		here, there := net.Pipe()
		listener.made <- there
		go func() {
			_, _ = io.WriteString(here, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		}()
		ended, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		context.AfterFunc(ended, func() { here.Close() })
		if answer, err := io.ReadAll(here); err != nil || !strings.Contains(string(answer), "400 Bad Request") {
			t.Errorf("the visitor hears %q, %v", answer, err)
		}
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
}
