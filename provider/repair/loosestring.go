package repair

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// jsonQuotes are the opening and closing quotes of strings. Python's triple quotes come first.
var jsonQuotes = [...][2]string{
	{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"},
}

// quoteAt returns the quote at the beginning of text and its closing quote, or "".
func quoteAt(text []byte) (opening, closing string) {
	for _, quote := range jsonQuotes {
		if bytes.HasPrefix(text, []byte(quote[0])) {
			return quote[0], quote[1]
		}
	}
	return "", ""
}

// startsString reports whether text begins with a quote.
func startsString(text []byte) bool {
	opening, _ := quoteAt(text)
	return opening != ""
}

// windows matches a Windows path with single backslashes, at least one of which is not a JSON escape.
var windows = sanitize.Pattern(`^[A-Za-z]:(?:|\\[/bfnrtu](?:[^"\\]|\\["\\/bfnrtu])*)\\[^"\\/bfnrtu]`)

const maxPath = 300 // bytes to check for a path

// str parses a string in any quotes, which may contain line breaks. The string must be closed.
func (p *parser) str() (string, bool) {
	opening, closing := quoteAt(p.text)
	p.text = p.text[len(opening):]
	raw := windows().Match(p.text[:min(len(p.text), maxPath)])
	var out strings.Builder
	for len(p.text) > 0 {
		switch {
		case bytes.HasPrefix(p.text, []byte(closing)):
			p.text = p.text[len(closing):]
			return out.String(), true
		case p.text[0] == '\\' && len(p.text) > 1:
			p.escape(&out, raw)
		default:
			out.WriteByte(p.text[0])
			p.text = p.text[1:]
		}
	}
	return "", false
}

// escape parses one escape. An unknown escape keeps its backslash, as in patterns and paths.
func (p *parser) escape(out *strings.Builder, raw bool) {
	c := p.text[1]
	at := strings.IndexByte(`nrtbf\/'"`, c)
	switch {
	case raw && c == '\\':
		out.WriteByte('\\')
		p.text = p.text[2:]
	case raw && c != '"':
		out.WriteByte('\\')
		p.text = p.text[1:]
	case at >= 0:
		out.WriteByte("\n\r\t\b\f\\/'\""[at])
		p.text = p.text[2:]
	case c == 'u' && p.unicode(out):
	default:
		out.WriteByte('\\')
		p.text = p.text[1:]
	}
}

var unicodeEscapes = sanitize.Pattern(`^(?:\\u[0-9A-Fa-f]{4})+`)

// unicode parses a run of \uXXXX, which may contain surrogate pairs.
func (p *parser) unicode(out *strings.Builder) bool {
	escapes := unicodeEscapes().Find(p.text)
	var text string
	if escapes == nil || json.Unmarshal([]byte(`"`+string(escapes)+`"`), &text) != nil {
		return false
	}
	out.WriteString(text)
	p.text = p.text[len(escapes):]
	return true
}
