package builtin_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// names is a resolver that gives a name its addresses, one a question, the last one for ever.
func names(t testing.TB, given map[string][]string) *net.Resolver {
	asked := map[string]*atomic.Int32{}
	for name := range given {
		asked[name] = new(atomic.Int32)
	}
	answer := func(question []byte) []byte {
		var m dnsmessage.Message
		if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
			t.Errorf("a question that is none: %v", err)
			return nil
		}
		q := m.Questions[0]
		name := strings.TrimSuffix(q.Name.String(), ".")
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		addresses := given[name]
		if len(addresses) == 0 {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			n := min(int(asked[name].Add(1)), len(addresses))
			ip := netip.MustParseAddr(addresses[n-1])
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: ip.As4()},
			}}
		}
		packed, err := m.Pack()
		if err != nil {
			t.Error(err)
		}
		return packed
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() { // until the resolver closes its end
			defer there.Close()
			for {
				var size [2]byte // a pipe is no datagram socket: as over TCP, the length comes first
				if _, err := io.ReadFull(there, size[:]); err != nil {
					return
				}
				question := make([]byte, int(size[0])<<8|int(size[1]))
				if _, err := io.ReadFull(there, question); err != nil {
					return
				}
				reply := answer(question)
				if _, err := there.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...)); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}

// TestNoNameLeadsInside: it is the address that a connection is really made to that counts, so a name cannot be public when it is looked at and
// private when it is used, and no way of writing an address gets around that.
func TestNoNameLeadsInside(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	resolver := names(t, map[string][]string{
		"rebound.test": {"0.0.0.0", "127.0.0.1"}, // another one at each look
		"inside.test":  {"127.0.0.1"},
		"router.test":  {"192.168.0.1"},
		"cloud.test":   {"169.254.169.254"},
	})
	closed := connect(t, builtin.Fetch(builtin.FetchOptions{Resolver: resolver}))
	for _, host := range []string{"rebound.test", "rebound.test", "inside.test", "router.test", "cloud.test", "inside.test."} {
		fails(t, closed, "fetch", args{"url": "http://" + host + ":" + port}, "is a private or local address")
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "[::]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[fec0::1]"} {
		if answer, failed := call(t, closed, "fetch", args{"url": "http://" + host + ":" + port}); !failed {
			t.Errorf("%s was reached: %q", host, answer)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Fatalf("what is inside was reached %d times", n)
	}
	open := connect(t, builtin.Fetch(builtin.FetchOptions{Resolver: resolver, AllowPrivate: true}))
	succeeds(t, open, "fetch", args{"url": "http://inside.test:" + port}, "[The page is empty.]")
	if reached.Load() != 1 {
		t.Error("the names do not work at all")
	}
}

// A page that sends fetch on to an address inside gets nowhere: another host is another call, about which a person is asked.
func TestRedirectsInsideAreNotFollowed(t *testing.T) {
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "//127.0.0.1:1/x", "http://localhost:1/"} {
		outside := httptest.NewServer(http.RedirectHandler(to, http.StatusFound))
		c := connect(t, builtin.Fetch(builtin.FetchOptions{AllowPrivate: true}))
		succeeds(t, c, "fetch", args{"url": outside.URL}, "leads to another host: ")
		outside.Close()
	}
}
