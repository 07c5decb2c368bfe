package repair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

var (
	functionTag  = sanitize.Pattern(`^<function=([^>]{1,128})>\s*`)
	parameterTag = sanitize.Pattern(`^\s*<parameter=([^>]{1,128})>(\r?\n)?`)
	// innerTag matches the tags that can be in a value.
	innerTag = sanitize.Pattern(`<parameter[=\s>]|</parameter>`)
	// nextParameter matches the border of two parameters. In a value, the tags of several values would be the pairs.
	nextParameter = sanitize.Pattern(`</parameter>\s*<parameter=`)
	// strayTag matches tags that must not follow a call.
	strayTag = sanitize.Pattern(`</function>|</parameter>|<parameter[=\s>]`)
)

// function parses <function=name><parameter=x>value</parameter></function>, the form of Qwen3-Coder, or the same with
// JSON in place of the parameters. All values are strings, converted later by the schema.
//
// Nothing is escaped in this form, so a value can contain its tags. It has one possible end only if they are in pairs.
// Otherwise the call is broken. A call without any end is cut off and not accepted.
func (r *reader) function() []textCall {
	tag := functionTag().FindSubmatch(r.text)
	if tag == nil || !r.known(tagValue(tag[1])) {
		return nil
	}
	name := tagValue(tag[1])
	r.text = r.text[len(tag[0]):]
	if bytes.HasPrefix(r.text, []byte("{")) {
		calls := r.withArguments(name)
		r.text = bytes.TrimPrefix(bytes.TrimLeft(r.text, white), []byte("</function>"))
		r.tagged = r.tagged || calls != nil
		return calls
	}
	isCall := parameterTag().Match(r.text) || bytes.HasPrefix(r.text, []byte("</function>"))
	hasEnd := bytes.Contains(r.text, []byte("</"))
	switch arguments, ok := r.parameters(); {
	case ok:
		r.tagged = true
		return []textCall{{Name: name, Arguments: jsonschema.Encode(arguments)}}
	case isCall && hasEnd:
		return []textCall{broken(name, "")}
	}
	return nil
}

// parameters parses the parameters of a function and its closing tag, which may be missing at the end of a block.
func (r *reader) parameters() (arguments *jsonschema.Object, ok bool) {
	arguments = jsonschema.NewObject()
	for tag := parameterTag().FindSubmatch(r.text); tag != nil; tag = parameterTag().FindSubmatch(r.text) {
		r.text = r.text[len(tag[0]):]
		name := tagValue(tag[1])
		value, ok := r.parameter()
		if ok {
			value, ok = withoutLayout(string(tag[2]), value)
		}
		if _, again := arguments.Values[name]; again || !ok || !utf8.ValidString(value) {
			return nil, false
		}
		arguments.Set(name, value)
	}
	r.text = bytes.TrimLeft(r.text, white)
	rest, closed := bytes.CutPrefix(r.text, []byte("</function>"))
	if closed {
		r.text = rest
		return arguments, true
	}
	isEnd := len(r.text) == 0 && !r.strict || bytes.HasPrefix(r.text, []byte("```")) || marks().Match(r.text) ||
		functionTag().Match(r.text)
	return arguments, isEnd
}

// parameter parses the rest of a parameter after its opening tag: up to the closing tag that belongs to it.
func (r *reader) parameter() (value string, ok bool) {
	open := 1
	for at := 0; ; {
		tag := innerTag().FindIndex(r.text[at:])
		if tag == nil {
			return "", false
		}
		begin, end := at+tag[0], at+tag[1]
		at = end
		if bytes.HasPrefix(r.text[begin:], []byte("<parameter")) {
			open++
			continue
		}
		if open--; open == 0 {
			value, r.text = string(r.text[:begin]), r.text[end:]
			return value, !nextParameter().MatchString(value)
		}
	}
}

// withoutLayout returns a value without the line breaks at its tags. opening is the one after the opening tag, which
// the value no longer has. Qwen's templates write the tags on lines of their own, so both line breaks are layout. A
// value of one line means the same with only one of them. A longer text may itself begin or end with a line break, so
// ok is false. It is false for two different line breaks too, since half of one may belong to the text.
func withoutLayout(opening, value string) (text string, ok bool) {
	text, hasEnd := strings.CutSuffix(value, "\n")
	if hasEnd {
		text = strings.TrimSuffix(text, "\r")
	}
	closing := value[len(text):]
	isLine := !strings.ContainsAny(text, "\r\n")
	return text, opening == closing || isLine && (opening == "" || closing == "")
}

// inString reports whether the rest of a string follows, which shows that a quote in it was taken for its end.
func (r *reader) inString() bool {
	rest := bytes.TrimLeft(r.text, " }]),")
	return len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'')
}

// broken returns a call that is not made. Its complaint asks the model to write it as JSON, which can have any text.
func broken(name, text string) textCall {
	return textCall{Name: name, Arguments: json.RawMessage("{}"), Text: text, Complaint: fmt.Sprintf(
		"The call could not be read: its tags, quotes or line breaks do not match, or a parameter stands twice.\n"+
			"Write it as one JSON object, with quotes, backslashes and line breaks in strings escaped: "+
			`{"name": %q, "arguments": {…}}`, name)}
}

// tagValue returns the text after the = of a tag, which may be quoted.
func tagValue(raw []byte) string { return string(bytes.Trim(raw, ` "'`)) }
