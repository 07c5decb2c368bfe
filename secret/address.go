package secret

import (
	"net/url"
	"strings"
)

// piece is a part of a text that may be secret, by its place.
type piece struct {
	kind       kind
	name       string // what it is called; "" when nothing is known
	start, end int
}

// kind is how much the place of a piece says.
type kind int

const (
	named    kind = iota // its name says whether it is secret
	query                // its name says so, too; it may be any
	password             // it is secret whatever it looks like
	user                 // without a password, who may be a token
	scheme               // it stands behind "Bearer" or "Basic"
	loose                // only what it looks like says whether it is secret
)

// address takes an address apart that stands at a place of a text: the password, or the user where there is none, who may be a token; the parts of
// the path, which some servers know their users by; the values of the query; and what stands behind #.
func address(text string, start, end int) (pieces []piece) {
	protocol, _, ok := strings.Cut(text[start:end], "://")
	if !ok {
		return nil
	}
	at := start + len(protocol) + len("://")
	whole, fragment, _ := strings.Cut(text[at:end], "#")
	rest, pairs, _ := strings.Cut(whole, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if n := strings.LastIndexByte(authority, '@'); n >= 0 {
		who, open, _ := strings.Cut(authority[:n], ":")
		if open != "" {
			pieces = append(pieces, piece{password, "password", at + len(who) + 1, at + n})
		} else {
			pieces = append(pieces, piece{user, "user", at, at + len(who)})
		}
	}
	part := at + len(authority) + 1
	for word := range strings.SplitSeq(path, "/") {
		if word != "" {
			pieces = append(pieces, piece{loose, "", part, part + len(word)})
		}
		part += len(word) + 1
	}
	pieces = append(pieces, values(pairs, at+len(rest)+1)...)
	if fragment != "" && !strings.Contains(fragment, "=") {
		return append(pieces, piece{query, "", end - len(fragment), end})
	}
	return append(pieces, values(fragment, end-len(fragment))...)
}

// values are those of name=value&name=value, which stands at a place of a text.
func values(pairs string, at int) (pieces []piece) {
	for words := range strings.SplitSeq(pairs, "&") {
		name, value, is := strings.Cut(words, "=")
		at += len(words) + 1
		if is {
			pieces = append(pieces, piece{query, name, at - 1 - len(value), at - 1})
		}
	}
	return pieces
}

// OfAddress are what may be secret of an address, as it is meant, as it is written and as programs repeat it: the password, a name of six letters and
// more without one, which mostly is a token, values of the query and behind #, long parts of the path, and what [Of] names. All of it must be masked;
// what should not stand in a file is less, see [In]. The longest comes first.
func OfAddress(text string) []string {
	all := append(Of(text), ofAddress(text)...)
	if u, err := url.Parse(text); err == nil {
		all = append(all, ofAddress(u.String())...)
	}
	return LongestFirst(all)
}

func ofAddress(text string) (all []string) {
	const longPart = 20
	for _, p := range address(text, 0, len(text)) {
		written := text[p.start:p.end]
		if p.kind == loose && len(written) < longPart {
			continue
		}
		for _, value := range []string{written, p.meant(written)} {
			if MayBe(p.name, value) || p.kind == user && len(value) >= shortest {
				all = append(all, value)
			}
		}
	}
	return all
}

// meant is a part of an address without the escapes; "" when it cannot be meant.
func (p piece) meant(written string) (value string) {
	switch p.kind {
	case query:
		value, _ = url.QueryUnescape(written)
	case user, password, loose:
		value, _ = url.PathUnescape(written)
	default: // no address
		value = written
	}
	return value
}
