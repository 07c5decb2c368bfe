package conn

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// maxSearched is how many bytes are searched for the values of one result.
const maxSearched = 128 << 20

// values counts the values in JSON, as text.
type values map[string]int

// add adds the values in a value from jsonschema.Decode. It leaves out null, blank texts and dataAbove, which tell
// nothing.
func (v values) add(value any) {
	switch value := value.(type) {
	case *jsonschema.Object:
		for _, member := range value.Values {
			v.add(member)
		}
	case []any:
		for _, element := range value {
			v.add(element)
		}
	case json.Number:
		v[plainNumber(value)]++
	default:
		if text, _ := jsonschema.Scalar(value); strings.TrimSpace(text) != "" && text != dataAbove {
			v[text]++
		}
	}
}

// plainNumber returns a number as usually written: 5 for 5.0 and 5e0. A whole number keeps all its digits.
func plainNumber(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// repeats reports whether texts have every value of structured content, at least as often: in JSON of any layout, or in
// words. It returns false if the content is too large to tell.
func repeats(texts []string, content string) bool {
	all := strings.Join(texts, "\n")
	if len(content) > maxChecked || len(all) > maxChecked {
		return false
	}
	value, ok := jsonschema.Decode([]byte(content))
	if !ok {
		return false
	}
	wanted, inJSON := values{}, values{}
	wanted.add(value)
	for _, text := range texts {
		if value, ok := jsonschema.Decode([]byte(text)); ok {
			inJSON.add(value)
		}
	}
	searched := 0
	for text, n := range wanted {
		if inJSON[text] >= n {
			continue
		}
		if searched += len(all); searched > maxSearched || !hasWords(all, text, n) {
			return false
		}
	}
	return true
}

// hasWords reports whether a text has other words at least n times.
func hasWords(text, words string, n int) bool {
	for at := 0; n > 0; {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(words)
		if isWhole(text, start, at) {
			n--
		}
	}
	return true
}

// isWhole reports whether a part of a text does not begin or end inside a word or number.
func isWhole(text string, start, end int) bool {
	inside := func(i int) bool {
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i:])
		return inWord(before) && inWord(after)
	}
	isPoint := func(i int) bool { // of a number
		return i > 0 && i+1 < len(text) && text[i] == '.' && isDigit(text[i-1]) && isDigit(text[i+1])
	}
	return !inside(start) && !inside(end) && !isPoint(start-1) && !isPoint(end)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
