package oauth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/netaddr"
)

// checkedTransport is how authorization servers are spoken to: encrypted, unless they are on this machine, with bounded answers, and only where the
// MCP server may send us.
type checkedTransport struct {
	session *Session
	base    http.RoundTripper
	direct  *http.Transport // base without its proxy, with connections that are checked when they are made; nil: use base
}

const maxAnswer = 1 << 20

// newCheckedTransport returns base with checks. A name may stand for any address, so connections are checked when they are made. Requests that go
// through a proxy are not: the proxy decides what it connects to.
func newCheckedTransport(s *Session, base http.RoundTripper) *checkedTransport {
	c := &checkedTransport{session: s, base: base}
	if open, ok := base.(*http.Transport); ok {
		c.direct = open.Clone()
		c.direct.Proxy = nil
		c.direct.DisableKeepAlives = true // nothing stays open that nothing closes
		c.direct.DialContext = netaddr.NewDialer(s.options.Resolver, func(ctx context.Context, to netip.AddrPort) error {
			return s.reachable(ctx, to.Addr())
		}).DialContext
	}
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := c.session.allow(r.Context(), r.URL); err != nil {
		return nil, err
	}
	base := c.base
	if open, ok := c.base.(*http.Transport); ok {
		base = c.direct
		if open.Proxy != nil {
			if proxy, err := open.Proxy(r); proxy != nil || err != nil {
				base = open
			}
		}
	}
	response, err := base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") {
		response.Header.Del("Content-Type") // oauth2 would read the JSON as a form
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxAnswer), response.Body}
	return response, nil
}

// allow judges an address by what it says.
func (s *Session) allow(ctx context.Context, to *url.URL) error {
	here := netaddr.Loopback(to.Hostname())
	switch {
	case to.Host == "" || to.Scheme != "https" && to.Scheme != "http":
		return fmt.Errorf("%q is no address of a login", to.Redacted())
	case to.Scheme == "http" && !here:
		return fmt.Errorf("the login at %q is not encrypted: it must be https", to.Host)
	}
	if address, ok := netaddr.Parse(to.Hostname()); ok {
		return s.reachable(ctx, address)
	}
	return nil
}

// insideError is the error of a login at an address where the MCP server may not send us.
type insideError struct{ address netip.Addr }

func (e insideError) Error() string {
	return fmt.Sprintf("the server wants us to log in at %s, on this machine or in a private network, but it is not there itself", e.address)
}

// reachable keeps an MCP server elsewhere from sending requests of aloud to programs on this machine and in the networks around it. A server on
// this machine may name any login server, one in a private network others there.
func (s *Session) reachable(ctx context.Context, to netip.Addr) error {
	to = to.Unmap().WithZone("")
	home, literal := netaddr.Parse(s.home.Hostname())
	switch {
	case netaddr.Public(to), literal && (home.IsLoopback() || home == to):
		return nil
	case to.IsLoopback() || !to.IsGlobalUnicast():
		return insideError{to}
	}
	homes := []netip.Addr{home}
	if !literal {
		homes, _ = s.options.Resolver.LookupNetIP(ctx, "ip", s.home.Hostname()) // without an answer it counts as public
	}
	if len(homes) == 0 || slices.ContainsFunc(homes, netaddr.Public) {
		return insideError{to}
	}
	return nil
}
