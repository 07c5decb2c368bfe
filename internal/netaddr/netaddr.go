// Package netaddr has what connections need besides HTTP: it parses URLs that all programs read alike, distinguishes
// loopback, private and public addresses, and reads certificates to trust.
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

// NewDialer returns a dialer that calls allow with the address of each connection, after name resolution, and fails
// with its error. Checking a name earlier is not safe, because it may resolve to another address. names may be nil.
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

// Parse parses an IP address or "localhost". ok is false for other names.
func Parse(host string) (address netip.Addr, ok bool) {
	if strings.EqualFold(host, "localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	address, err := netip.ParseAddr(host)
	return address.Unmap().WithZone(""), err == nil
}

// Loopback reports whether a host, without port and brackets, is this machine.
func Loopback(host string) bool {
	address, ok := Parse(host)
	return ok && address.IsLoopback()
}

// Public reports whether an address is on the public internet.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	isReserved := slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
	return a.IsGlobalUnicast() && !a.IsPrivate() && !isReserved
}

// reserved are the ranges in the IANA special-purpose registries that netip omits. They are private, or contain
// an IPv4 address that may be private.
var reserved = prefixes("0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 " +
	"198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 " +
	"2002::/16 fec0::/10")

func prefixes(list string) (all []netip.Prefix) {
	for text := range strings.FieldsSeq(list) {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}
