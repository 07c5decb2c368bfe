package repair

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// jsonQuotes that strings come in, and what closes each. Three of a kind, as in Python, come first.
var jsonQuotes = [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}}

// quoteAt is the opening quote at the beginning of text, and what closes it, "" for none.
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

// windows is a path of Windows whose backslashes are not doubled, which shows where one is before a letter that has no meaning behind it.
var windows = regexp.MustCompile(`^[A-Za-z]:(?:|\\[/bfnrtu](?:[^"\\]|\\["\\/bfnrtu])*)\\[^"\\/bfnrtu]`)

const longestPath = 300 // bytes that are looked at for a path

// str reads a string, with either quote, with line breaks in it, and with quotes in it that are not escaped. A string that is not closed is
// not accepted.
func (p *parser) str(key bool) (string, bool) {
	opening, closing := quoteAt(p.text)
	p.text = p.text[len(opening):]
	raw := windows.Match(p.text[:min(len(p.text), longestPath)])
	var out strings.Builder
	for len(p.text) > 0 {
		switch {
		case bytes.HasPrefix(p.text, []byte(closing)) && (key || p.python || p.closes(closing)):
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

// nextMember is how the next member of an object begins.
var nextMember = regexp.MustCompile(`^["'][A-Za-z0-9_.$-]{1,64}["'][ \t]*:`)

// closes reports whether the quote at the beginning ends its string: by what comes behind it.
func (p *parser) closes(closing string) bool {
	const window = 512 // bytes of white space that are looked past
	rest := p.text[len(closing):]
	rest = rest[:min(len(rest), window)]
	after := bytes.TrimLeft(rest, white)
	if len(after) == 0 {
		return true
	}
	switch c := after[0]; c {
	case '}', ']', ')', ':', '#':
		return true
	case ',':
		return p.goesOn(bytes.TrimLeft(after[1:], white))
	case '/':
		return len(after) > 1 && (after[1] == '/' || after[1] == '*')
	default:
		return nextMember.Match(after)
	}
}

// goesOn reports whether what comes behind a comma can be the next member.
func (p *parser) goesOn(after []byte) bool {
	if len(after) == 0 {
		return true
	}
	c := after[0]
	return startsString(after) || c >= '0' && c <= '9' || strings.IndexByte("{[-}],/#", c) >= 0 || bareMember.Match(after)
}

// bareMember is a name without jsonQuotes, or a word.
var bareMember = regexp.MustCompile(`^(?:[A-Za-z_$][A-Za-z0-9_$-]{0,64}[ \t]*:|(?:true|false|null|True|False|None)\b)`)

// escape reads one escape. One that is none keeps its backslash: it is a pattern or a path.
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
	case c == '\n': // Python goes on with the string
		if !p.python {
			out.WriteByte('\n')
		}
		p.text = p.text[2:]
	case c == 'u' && p.unicode(out):
	default:
		out.WriteByte('\\')
		p.text = p.text[1:]
	}
}

// unicode reads \uXXXX, or two of them that are a pair.
func (p *parser) unicode(out *strings.Builder) bool {
	for _, length := range []int{12, 6} {
		if len(p.text) < length || length == 12 && (p.text[6] != '\\' || p.text[7] != 'u') {
			continue
		}
		var text string
		if json.Unmarshal([]byte(`"`+string(p.text[:length])+`"`), &text) != nil || length == 12 && utf8.RuneCountInString(text) != 1 {
			continue
		}
		out.WriteString(text)
		p.text = p.text[length:]
		return true
	}
	return false
}
