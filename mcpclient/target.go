package mcpclient

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/aloudchat/aloud/internal/netaddr"
)

// target is the host and port of a call.
type target struct {
	names   []string // spellings of the host, ASCII first, IPv6 without brackets; [""] if there is no address
	port    string   // "" if unknown
	usual   bool     // the port is the default of the scheme
	unclear bool     // the only name is the whole address in quotes, because programs read it in different ways
}

// targetOf parses an address, as the built-in fetch does. Without a scheme it is an https address.
func targetOf(address string) target {
	if address == "" {
		return target{names: []string{""}, usual: true}
	}
	u, err := netaddr.ParseURL(address)
	if err != nil {
		return unclearTarget(address)
	}
	p := target{names: spellings(u.Hostname()), port: u.Port()}
	usual := netaddr.DefaultPort(u.Scheme)
	if n, err := strconv.Atoi(p.port); err == nil {
		p.port = strconv.Itoa(n) // without leading zeros
	}
	if p.port == "" {
		p.port = usual
	}
	p.usual = p.port == usual
	return p
}

// unclearTarget returns the target of a call that may go anywhere.
func unclearTarget(address string) target {
	return target{names: []string{strconv.Quote(address)}, usual: true, unclear: true}
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
	if ip, err := netip.ParseAddr(host); err == nil {
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

// hostPattern is a parsed "host" or "host:port", both globs.
type hostPattern struct {
	text  string
	names []glob // one per spelling
	ports []glob // at most one; none means the default port, or any port in a deny pattern
}

func compileHost(text string) *hostPattern {
	name, port := splitPort(text)
	h := hostPattern{text: text, names: parseAll(spellings(name))}
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

// matches reports whether an allow pattern matches p. An unclear address is allowed only by itself.
func (h *hostPattern) matches(p target) bool {
	if p.unclear {
		return h.text == escapePattern(p.names[0])
	}
	if len(h.ports) == 0 {
		return anyMatches(h.names, p.texts()...)
	}
	return anyMatches(h.names, p.names...) && anyMatches(h.ports, p.port)
}

// matchesAnyPort reports whether a deny pattern matches p. Without a port it matches any. It matches every unclear
// address, and an empty one.
func (h *hostPattern) matchesAnyPort(p target) bool {
	return p.unclear || h.matches(p) || p.names[0] == "" || len(h.ports) == 0 && anyMatches(h.names, p.names...)
}
