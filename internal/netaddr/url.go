package netaddr

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

var errUnclear = errors.New("programs read this address in different ways")

// completed are the schemes that browsers complete if the slashes are missing. Others read "https:/host" as a host
// "https".
var completed = []string{"http", "https", "ws", "wss", "ftp", "file"}

// IsWeb reports whether a parsed address is an http or https address with a host.
func IsWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// Port returns the port of an address, or the default port of its scheme, or "" if that is unknown.
func Port(u *url.URL) string { return cmp.Or(u.Port(), DefaultPort(u.Scheme)) }

// DefaultPort returns the port of addresses without one, or "" if it is unknown.
func DefaultPort(scheme string) string {
	return map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}[strings.ToLower(scheme)]
}

// ParseBase parses the address of a server, to which the client adds paths: an http or https address without query and
// fragment. The result does not end in a slash. The error continues a sentence that begins with the name of a setting.
// It does not quote the address, which may contain a password.
func ParseBase(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !IsWeb(u) || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New(`is not an address. Use one like "http://127.0.0.1:8000"`)
	}
	if n, err := strconv.ParseUint(Port(u), 10, 16); err != nil || n == 0 {
		return nil, errors.New("has an invalid port; it must be 1 to 65535")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

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
