package elicit

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// Visit is the parsed address of a page that a server asks you to open. Address, Before, Host and After are ASCII
// without spaces, so that no character can imitate another.
type Visit struct {
	Address string // Before + Host + After, as it is opened
	Before  string // up to the host
	Host    string // in ASCII: xn--…
	After   string // from the port on
	Looks   string // the host as the server wrote it, sanitized; "" if that is the same
}

const maxAddress = 4096 // bytes

// ReadVisit parses an address. It accepts only those that you can judge by their host: with https, or with http on this
// machine, and without a user name before the host.
func ReadVisit(address string) (Visit, error) {
	shown := sanitize.Clip(sanitize.Line(address), 80)
	if len(address) > maxAddress {
		return Visit{}, fmt.Errorf("the address is longer than %d characters", maxAddress)
	}
	u, err := url.Parse(address) // with the host as the server wrote it
	if _, unclear := netaddr.ParseURL(address); unclear != nil || err != nil || u.Hostname() == "" {
		return Visit{}, fmt.Errorf("%q is not the address of a page", shown)
	}
	if u.User != nil {
		return Visit{}, fmt.Errorf("the address %q has a user name, which hides its host", shown)
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return Visit{}, fmt.Errorf("the address %q has an invalid host", shown)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && netaddr.Loopback(host)) {
		return Visit{}, fmt.Errorf("the address %q must begin with https", shown)
	}
	v := Visit{Before: u.Scheme + "://", Host: host, After: afterHost(u)}
	if strings.Contains(host, ":") {
		v.Host = "[" + host + "]"
	}
	if !strings.EqualFold(host, u.Hostname()) {
		v.Looks = sanitize.Line(u.Hostname())
	}
	v.Address = v.Before + v.Host + v.After
	return v, nil
}

// asciiHost returns a host name in ASCII, and an IP address unchanged.
func asciiHost(host string) (string, error) {
	if net.ParseIP(host) != nil {
		return host, nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || ascii == "" || strings.ContainsAny(ascii, " %/\\@?#") {
		return "", errors.New("not a host")
	}
	if again, err := idna.Lookup.ToASCII(ascii); err != nil || again != ascii { // some letters give an invalid name
		return "", errors.New("not a host")
	}
	return ascii, nil
}

// afterHost returns the part of an address after the host, with everything but visible ASCII escaped.
func afterHost(u *url.URL) string {
	var b strings.Builder
	if port := u.Port(); port != "" {
		b.WriteString(":" + port)
	}
	b.WriteString(u.EscapedPath())
	if u.RawQuery != "" {
		b.WriteString("?" + u.RawQuery)
	}
	if u.Fragment != "" {
		b.WriteString("#" + u.EscapedFragment())
	}
	rest := b.String()
	b.Reset()
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
