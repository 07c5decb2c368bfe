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

	"github.com/aloudchat/aloud/internal/netaddr"
)

// checkedTransport is the transport to login servers. It requires https, except on this machine, limits responses, and
// blocks addresses that the MCP server must not make aloud connect to.
type checkedTransport struct {
	session *Session
	base    http.RoundTripper
	direct  *http.Transport // base without its proxy, which checks addresses when it dials; nil means base
}

const maxResponse = 1 << 20 // bytes

// newCheckedTransport returns base with checks. Addresses are checked when they are dialed, because a name may
// resolve to any. Requests through a proxy are not checked.
func newCheckedTransport(s *Session, base http.RoundTripper) *checkedTransport {
	c := &checkedTransport{session: s, base: base}
	if open, ok := base.(*http.Transport); ok {
		c.direct = open.Clone()
		c.direct.Proxy = nil
		c.direct.DisableKeepAlives = true // no connection is left open
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
	}{io.LimitReader(response.Body, maxResponse), response.Body}
	return response, nil
}

// allow returns an error for an address that must not be used for a login.
func (s *Session) allow(ctx context.Context, to *url.URL) error {
	here := netaddr.Loopback(to.Hostname())
	switch {
	case !netaddr.IsWeb(to):
		return fmt.Errorf("%q is not the address of a login", to.Redacted())
	case to.Scheme == "http" && !here:
		return fmt.Errorf("the login at %q is not encrypted. It must use https", to.Host)
	}
	if address, ok := netaddr.Parse(to.Hostname()); ok {
		return s.reachable(ctx, address)
	}
	return nil
}

// insideError is the error of a login at an address that the MCP server must not make aloud connect to.
type insideError struct{ address netip.Addr }

func (e insideError) Error() string {
	const text = "the server must not name a login server at %s, which is on this machine or in a private network"
	return fmt.Sprintf(text, e.address)
}

// reachable prevents an MCP server from making aloud send requests into private networks. A server on this machine may
// name any login server, and one in a private network may name others in private networks.
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
		homes, _ = s.options.Resolver.LookupNetIP(ctx, "ip", s.home.Hostname()) // after an error it counts as public
	}
	if len(homes) == 0 || slices.ContainsFunc(homes, netaddr.Public) {
		return insideError{to}
	}
	return nil
}
