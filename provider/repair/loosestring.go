package repair

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// rawQuote is the token around strings of Gemma 4, which have no escapes.
const rawQuote = `<|"|>`

// jsonQuotes are the opening and closing quotes of strings. Python's triple quotes come first.
var jsonQuotes = [...][2]string{
	{rawQuote, rawQuote},
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

// str parses a string in any quotes, which may contain line breaks. The string must be closed.
func (p *parser) str() (string, bool) {
	opening, closing := quoteAt(p.text)
	rest := p.text[len(opening):]
	if opening == rawQuote {
		text, after, closed := bytes.Cut(rest, []byte(closing))
		p.text = after
		return string(text), closed && utf8.Valid(text)
	}
	for at := 0; at < len(rest); at++ {
		switch {
		case rest[at] == '\\':
			at++
		case bytes.HasPrefix(rest[at:], []byte(closing)):
			p.text = rest[at+len(closing):]
			return p.unescape(string(rest[:at]))
		}
	}
	return "", false
}

var (
	// escape matches one escape, or a run of \uXXXX, which may contain surrogate pairs.
	escape = sanitize.Pattern(`(?s)(?:\\u[0-9A-Fa-f]{4})+|\\.`)
	// windowsPath matches paths with single backslashes.
	windowsPath = sanitize.Pattern(`^[A-Za-z]:(?:\\[^\\/:*?"<>|\r\n]+)+\\?$`)
	// foreignEscape matches the escapes of Python and JavaScript that JSON does not have.
	foreignEscape = sanitize.Pattern(`^\\[avxuUN0-7\r\n]`)
)

// jsonEscapes are the escapes of JSON without quotes and \uXXXX.
var jsonEscapes = map[string]string{
	`\n`: "\n", `\r`: "\r", `\t`: "\t", `\b`: "\b", `\f`: "\f", `\\`: `\`, `\/`: "/",
}

// unescape returns the text of a string. If it has a backslash that begins no escape, as in patterns and paths, its
// backslashes are text. But then a valid escape in it, also one of another language, may be either, so ok is false,
// except in the path of a file in JSON. A dictionary of Python is read as JSON, so its escapes count here too.
func (p *parser) unescape(raw string) (text string, ok bool) {
	if !utf8.ValidString(raw) {
		return "", false
	}
	escapes, plain, certain := 0, 0, true
	text = escape().ReplaceAllStringFunc(raw, func(e string) string {
		decoded, isEscape := jsonEscapes[e]
		switch {
		case e[1] == '"' || e[1] == '\'':
			return e[1:]
		case isEscape && !(p.python && e == `\/`):
			escapes++
			return decoded
		case len(e) >= 6: // `\uXXXX`
			escapes++
			certain = certain && json.Unmarshal([]byte(`"`+e+`"`), &decoded) == nil && wholeRunes([]byte(e))
			return decoded
		}
		plain++
		certain = certain && !foreignEscape().MatchString(e)
		return e
	})
	if plain > 0 && !p.python && windowsPath().MatchString(raw) {
		return raw, true
	}
	return text, certain && (plain == 0 || escapes == 0)
}
