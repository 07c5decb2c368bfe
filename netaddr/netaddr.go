// Package netaddr judges where a connection goes: to this machine, into a private network, or to the open internet.
package netaddr

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// NewDialer returns a dialer that asks allow about the address that a connection is really made to, after the name was
// looked up: a name cannot be public when it is checked and private when it is used. names may be nil.
func NewDialer(names *net.Resolver, allow func(ctx context.Context, to netip.AddrPort) error) *net.Dialer {
	return &net.Dialer{
		Timeout: 10 * time.Second, Resolver: names,
		ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return allow(ctx, to)
		},
	}
}

// Parse returns the address that a host is, or that of this machine for "localhost". ok is false for other names.
func Parse(host string) (address netip.Addr, ok bool) {
	if strings.EqualFold(host, "localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	address, err := netip.ParseAddr(host)
	return address.Unmap().WithZone(""), err == nil
}

// Loopback reports whether a host, without its port and brackets, is this machine.
func Loopback(host string) bool {
	address, ok := Parse(host)
	return ok && address.IsLoopback()
}

// Public reports whether an address belongs to the open internet.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}

// reserved are the ranges of the IANA's special-purpose registries that netip has no name for: some are private in
// truth, the others carry an IPv4 address inside, which may be.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by a provider's customers
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), // documentation
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo and others
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("fec0::/10"),
}
