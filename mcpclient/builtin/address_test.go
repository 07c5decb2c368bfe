package builtin_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// TestFetchPrivateAddresses checks the address of the connection, for all notations of an address.
func TestFetchPrivateAddresses(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	must(t, err)
	resolver := oauthtest.Names(t, map[string][]string{
		"rebound.test": {"0.0.0.0", "127.0.0.1"}, // a different one at each lookup
		"inside.test":  {"127.0.0.1"},
		"cloud.test":   {"169.254.169.254"},
		"localhost":    {"127.0.0.1"}, // not in the file of hosts on Windows
	})
	closed := connect(t, builtin.Fetch(builtin.Options{Resolver: resolver}))
	for _, host := range []string{
		"rebound.test", "rebound.test", "inside.test", "cloud.test", "inside.test.", "localhost", "127.0.0.1", "0.0.0.0",
		"169.254.169.254", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "224.0.0.1", "[::1]", "[fd00::1]",
		"[fe80::1%25lo]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::ffff:7f00:1]",
	} {
		fails(t, closed, "fetch", args{"url": "http://" + host + ":" + port}, "is a private or local address")
	}
	for _, host := range []string{
		"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "[::]", "[::127.0.0.1]", "[fec0::1]",
	} {
		if answer, failed := call(t, closed, "fetch", args{"url": "http://" + host + ":" + port}); !failed {
			t.Errorf("%s was reached: %q", host, answer)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Fatalf("the private server was reached %d times", n)
	}
	open := connect(t, builtin.Fetch(builtin.Options{Resolver: resolver, AllowPrivate: true}))
	succeeds(t, open, "fetch", args{"url": "http://inside.test:" + port}, "[The page is empty.]")
	if reached.Load() != 1 {
		t.Error("the names do not resolve")
	}
}
