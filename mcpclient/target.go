package mcpclient

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// target is the host and port of a call.
type target struct {
	names []string // spellings of the host, ASCII first, IPv6 without brackets; [""] if the address is invalid
	port  string   // "" if unknown
	usual bool     // the port is the default of the scheme
}

// targetOf parses an address as lenient servers do: the scheme defaults to https, and the slashes after it may be
// missing or wrong.
func targetOf(address string) target {
	address = strings.TrimSpace(address)
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme = strings.ToLower(scheme); {
	case scheme == "http", scheme == "https":
		address = scheme + "://" + strings.TrimLeft(rest, `/\`)
	case !strings.Contains(address, "://"):
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return target{names: []string{""}, usual: true}
	}
	p := target{names: spellings(u.Hostname()), port: u.Port()}
	if _, ok := readIP(p.names[0]); !ok && strings.ContainsRune(p.names[0], ':') {
		return target{names: []string{""}, usual: true}
	}
	usual := map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}[u.Scheme]
	if n, err := strconv.Atoi(p.port); err == nil {
		p.port = strconv.Itoa(n) // without leading zeros
	}
	if p.port == "" {
		p.port = usual
	}
	p.usual = p.port == usual
	return p
}

// texts returns the spellings of the target, with the port unless it is the default. Only "[IPv6]:port" has brackets.
func (p target) texts() []string {
	if p.usual {
		return p.names
	}
	texts := slices.Clone(p.names)
	for i, name := range texts {
		if strings.Contains(name, ":") {
			name = "[" + name + "]"
		}
		texts[i] = name + ":" + p.port
	}
	return texts
}

// anyName maps letters as a lookup does, and keeps characters that names cannot have, such as the * of a pattern.
var anyName = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// spellings returns a host, or a glob for hosts, in ASCII, in Unicode and in lower case, without duplicates. An IP
// address has only one spelling.
func spellings(host string) []string {
	if ip, ok := readIP(host); ok {
		return []string{ip.Unmap().WithZone("").String()}
	}
	host = strings.ToLower(host)
	ascii, _ := anyName.ToASCII(host) // the result is usable after an error
	unicode, _ := anyName.ToUnicode(host)
	all := []string{ascii, unicode, host}
	for i, s := range all {
		all[i] = strings.TrimRight(strings.ToLower(s), ".")
	}
	slices.Sort(all[1:])
	return slices.Compact(all)
}

// readIP parses an IP address in any form that some program accepts: 127.1, 0x7f.0.0.1 and 2130706433 are 127.0.0.1.
func readIP(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	parts := strings.Split(strings.TrimRight(host, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var address uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || n>>bits > 0 {
			return netip.Addr{}, false
		}
		address = address<<bits | n
	}
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(address)))), true
}

// hostPattern is a parsed "host" or "host:port", both globs.
type hostPattern struct {
	names []glob // one per spelling
	ports []glob // at most one; none means the default port, or any port in a deny pattern
}

func compileHost(text string) *hostPattern {
	name, port := splitPort(text)
	h := hostPattern{names: parseAll(spellings(name))}
	if port != "" {
		h.ports = parseAll([]string{port})
	}
	return &h
}

// splitPort splits "host:port". IPv6 addresses may be in brackets, and must be if there is a port.
func splitPort(text string) (host, port string) {
	if end := strings.LastIndexByte(text, ']'); strings.HasPrefix(text, "[") && end > 0 {
		if rest := text[end+1:]; rest == "" || rest[0] == ':' {
			return text[1:end], strings.TrimPrefix(rest, ":")
		}
	}
	if strings.Count(text, ":") == 1 {
		host, port, _ = strings.Cut(text, ":")
		return host, port
	}
	return text, ""
}

// matches reports whether an allow pattern matches p.
func (h *hostPattern) matches(p target) bool {
	if len(h.ports) == 0 {
		return anyMatches(h.names, p.texts()...)
	}
	return anyMatches(h.names, p.names...) && anyMatches(h.ports, p.port)
}

// matchesAnyPort reports whether a deny pattern matches p. Without a port it matches any. It matches every invalid
// address, because servers may parse that differently.
func (h *hostPattern) matchesAnyPort(p target) bool {
	return h.matches(p) || p.names[0] == "" || len(h.ports) == 0 && anyMatches(h.names, p.names...)
}
