package elicit

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/aloudchat/aloud/netaddr"
	"github.com/aloudchat/aloud/sanitize"
)

// Visit is a page that a server sends you to. Its texts are ASCII without blanks, so nothing in them looks like something else.
type Visit struct {
	Address string // the whole of it, as it is opened
	Before  string // the parts of it: up to the host,
	Host    string // the host, which is whom you would deal with, as name servers know it: xn--…,
	After   string // the port and what is asked of the host
	Looks   string // the host in the letters in which it was written, where those are others; safe to show
}

const mostAddress = 4096 // bytes

// ReadVisit reads an address. Only those are taken that you can judge by their host: with https, or with http on this machine, and without
// a name in front of the host. The error says in one sentence why not.
func ReadVisit(address string) (Visit, error) {
	shown := sanitize.Clip(sanitize.Line(address), 80)
	if len(address) > mostAddress {
		return Visit{}, fmt.Errorf("its address is longer than %d characters", mostAddress)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return Visit{}, fmt.Errorf("%q is no address of a page", shown)
	}
	if u.User != nil {
		return Visit{}, fmt.Errorf("the address %q has a name before its host, which hides where it leads", shown)
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return Visit{}, fmt.Errorf("the host of %q is not one", shown)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && netaddr.Loopback(host)) {
		return Visit{}, fmt.Errorf("the address %q is not one with https", shown)
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

// asciiHost is the host as name servers know it. Addresses of machines stay as they are.
func asciiHost(host string) (string, error) {
	if net.ParseIP(host) != nil {
		return host, nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || ascii == "" || strings.ContainsAny(ascii, " %/\\@?#") {
		return "", errors.New("not a host")
	}
	if again, err := idna.Lookup.ToASCII(ascii); err != nil || again != ascii { // of some letters it makes what is none
		return "", errors.New("not a host")
	}
	return ascii, nil
}

// afterHost writes the rest of an address with everything escaped that is not ASCII.
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
