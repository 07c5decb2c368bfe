package netaddr

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

var errUnclear = errors.New("programs read this address in different ways")

// completed are the schemes that browsers complete if the slashes are missing. Others read "https:/host" as a host
// "https".
var completed = []string{"http", "https", "ws", "wss", "ftp", "file"}

// ParseURL parses an address with a host. Without a scheme it is an https address. The host of the result is as it is
// looked up: letters beyond ASCII are encoded.
//
// An address that programs read in different ways is an error, because it could be judged by one host and sent to
// another. These are addresses without two slashes (https:/host), with backslashes, control characters or several @
// before the path, with an escaped host, or with an IP address in an unusual form (127.1).
func ParseURL(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	scheme, rest, _ := strings.Cut(address, ":")
	switch {
	case strings.HasPrefix(rest, "//") && !strings.ContainsAny(scheme, "/?#@"):
		rest = rest[2:]
	case slices.Contains(completed, strings.ToLower(scheme)):
		return nil, errUnclear
	default:
		rest, address = address, "https://"+address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	written, host := rest[strings.IndexByte(rest, '@')+1:], u.Hostname()
	if strings.Contains(written, "@") {
		return nil, errUnclear
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() == strings.HasPrefix(written, "[") {
		return u, nil
	}
	ascii := host
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		if ascii, err = idna.Lookup.ToASCII(host); err != nil {
			return nil, err
		}
	}
	if strings.ContainsAny(written, "%[") || endsInNumber(ascii) {
		return nil, errUnclear
	}
	u.Host = ascii + strings.TrimPrefix(u.Host, host)
	return u, nil
}

// endsInNumber reports whether the last part of a name is a number or missing. No such name exists, but some programs
// read it as an IP address.
func endsInNumber(name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
}
