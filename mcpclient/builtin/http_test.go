package builtin_test

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// online serves the clock over HTTP until the test ends, and returns its host.
func online(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := builtin.ListenHTTP(ctx, "0")
	must(t, err)
	served := make(chan error)
	go func() { served <- builtin.Clock(time.Now).ServeHTTP(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			t.Error("the port is still open")
		}
	})
	return listener.Addr().String()
}

// Every page in a browser can send requests to this machine.
func TestServeHTTPRefusesOtherOrigins(t *testing.T) {
	host := online(t)
	_, port, _ := net.SplitHostPort(host)
	for name, c := range map[string]struct {
		host, origin, body string
		want               int
	}{
		"a program":                    {want: 200},
		"by name":                      {host: "localhost:" + port, want: 200},
		"another page of this machine": {origin: "http://localhost:3000", want: 403},
		"a rebound name":               {host: "evil.example:" + port, want: 403},
		"a page of another host":       {origin: "https://evil.example", want: 403},
		"a page without a host":        {origin: "null", want: 403},
		"a rebound name and its page":  {host: "evil.example", origin: "http://evil.example", want: 403},
		"a similar name":               {host: "localhost.evil.example", want: 403},
		"too large":                    {body: strings.Repeat(" ", 17<<20) + hello, want: 413},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+builtin.HTTPPath,
			strings.NewReader(cmp.Or(c.body, hello)))
		must(t, err)
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
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

func TestListenHTTPLoopbackOnly(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:0": `"0.0.0.0" is reachable from other machines`, "[::]:0": "is reachable", "example.com:1": "is reachable",
		"1:2:3": `"1:2:3" is not an address`, "127.0.0.1:99999": `cannot listen on "127.0.0.1:99999"`,
	} {
		if l, err := builtin.ListenHTTP(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %q", address, l, err, want)
		}
	}
	for _, address := range []string{":0", "0", "localhost:0"} {
		l, err := builtin.ListenHTTP(t.Context(), address)
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
