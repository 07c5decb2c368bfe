package oauth_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

// refusedBy returns a login to a server that has sent a challenge with this metadata address.
func refusedBy(t *testing.T, o oauth.Options, about string) *oauth.Session {
	t.Helper()
	s := oauth.New(o)
	refusing := internet{o.URL: challengeOf(`Bearer resource_metadata="` + about + `"`)}
	_, err := s.Transport(refusing).RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodPost, o.URL,
		strings.NewReader("{}")))
	says(t, err, "requires a login")
	return s
}

// TestLoginAtPrivateAddress checks that the dialed address decides, not its name.
func TestLoginAtPrivateAddress(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewUnstartedServer(http.NotFoundHandler())
	inside.Config.ConnState = func(net.Conn, http.ConnState) { reached.Add(1) }
	inside.Config.ErrorLog = log.New(io.Discard, "", 0)
	inside.StartTLS()
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	must(t, err)
	o := oauth.Options{Server: "far", URL: "https://mcp.test/mcp", Resolver: oauthtest.Names(t, map[string][]string{
		"mcp.test":     {"93.184.215.14"},
		"rebound.test": {"0.0.0.0", "127.0.0.1"}, // a different one at each lookup
		"inside.test":  {"127.0.0.1"},
		"router.test":  {"192.168.0.1"},
		"cloud.test":   {"169.254.169.254"},
	})}
	for _, host := range []string{
		"rebound.test", "rebound.test", "inside.test", "inside.test.", "router.test", "cloud.test", "localhost",
		"127.0.0.1", "0.0.0.0", "[::1]", "[::]",
		"[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]",
	} {
		s := refusedBy(t, o, "https://"+host+":"+port+"/about")
		says(t, s.LogIn(t.Context(), &visitor{}), "on this machine or in a private network")
	}
	for _, host := range []string{"2130706433", "0x7f000001", "127.1"} {
		s := refusedBy(t, o, "https://"+host+":"+port+"/about")
		says(t, s.LogIn(t.Context(), &visitor{}), "cannot reach")
	}
	if n := reached.Load(); n > 0 {
		t.Fatalf("what is inside was reached %d times", n)
	}

	// A local MCP server may name a local login server.
	o.URL = "https://localhost/mcp"
	s := refusedBy(t, o, "https://inside.test:"+port+"/about")
	says(t, s.LogIn(t.Context(), &visitor{}), "certificate")
	if reached.Load() == 0 {
		t.Error("the names do not work at all")
	}
}

// TestLoginInPrivateNetwork checks that servers in a private network may name each other, but not this machine.
func TestLoginInPrivateNetwork(t *testing.T) {
	names := oauthtest.Names(t, map[string][]string{"mcp.example": {"192.168.7.7"}, "public.example": {"93.184.215.14"}})
	for _, test := range []struct{ server, about, want string }{
		{"https://mcp.example/mcp", "https://10.0.0.1/about", ""},
		{"https://192.168.7.7/mcp", "https://10.0.0.1/about", ""},
		{"https://mcp.example/mcp", "https://127.0.0.1/about", "this machine"},
		{"https://mcp.example/mcp", "https://169.254.169.254/about", "private network"},
		{"https://public.example/mcp", "https://10.0.0.1/about", "private network"},
		{"https://unknown.example/mcp", "https://10.0.0.1/about", "private network"},
		{"https://93.184.215.14/mcp", "https://10.0.0.1/about", "private network"},
	} {
		n, _ := far()
		n[test.server] = challengeOf(`Bearer resource_metadata="` + test.about + `"`)
		n[test.about] = says200(map[string]any{"resource": test.server,
			"authorization_servers": []string{"https://login.example"}})
		err := oauth.New(oauth.Options{Server: "near", URL: test.server, Base: n, Resolver: names}).LogIn(t.Context(),
			&allowing{})
		switch {
		case test.want != "":
			says(t, err, test.want)
		case err != nil:
			t.Errorf("%s that tells of its login at %s: %v", test.server, test.about, err)
		}
	}
}
