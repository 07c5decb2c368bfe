package markdown

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

//go:embed languages.toml
var languageTable []byte

// language describes the syntax of a language; languages.toml explains the fields.
type language struct {
	Names, Comment, Long, Text, Quotes, Letters, Keys string
	Chars, Loose, Markup, Diff                        bool
	Keywords, Types, Values                           string
}

// languages reads the table for the first block of code.
var languages = sync.OnceValue(func() []language {
	var table struct{ Languages []language }
	_ = toml.Unmarshal(languageTable, &table) // a test checks the table
	return table.Languages
})

// kind is the kind of a piece of code. Names and punctuation are plain.
type kind int

const (
	plain kind = iota
	keyword
	typeName
	function
	key
	number
	quoted
	comment
	added
	removed
	heading
)

// highlighter finds the kinds of the pieces of code in one language. Code is often incomplete or wrong, so it uses
// words and quotes and ignores grammar.
type highlighter struct {
	*language
	words    map[string]kind
	comments []string // the pairs of Long
	strings  []string // the pairs of Text
}

// longestString bounds the search for the end of a string, in bytes. Many quotes without an end would make it
// quadratic.
const longestString = 1000

// newHighlighter returns the highlighter of the language with a name after a fence, nil when it is unknown.
func newHighlighter(name string) *highlighter {
	name, known := strings.ToLower(name), languages()
	at := slices.IndexFunc(known, func(l language) bool { return slices.Contains(strings.Fields(l.Names), name) })
	if at < 0 {
		return nil
	}
	l := &known[at]
	h := &highlighter{
		language: l, words: map[string]kind{}, comments: strings.Fields(l.Long), strings: strings.Fields(l.Text),
	}
	for _, list := range []struct {
		kind
		words string
	}{{keyword, l.Keywords}, {typeName, l.Types}, {number, l.Values}} {
		for word := range strings.FieldsSeq(list.words) {
			h.words[word] = list.kind
		}
	}
	return h
}

// pieces calls piece with every piece of code, in order. The pieces together are the code.
func (h *highlighter) pieces(code string, piece func(kind, string)) {
	switch {
	case h.Diff:
		diffPieces(code, piece)
	case h.Markup:
		h.markupPieces(code, piece)
	default:
		h.codePieces(code, piece)
	}
}

func (h *highlighter) codePieces(code string, piece func(kind, string)) {
	begun := 0 // start of plain text
	for at := 0; at < len(code); {
		k, n := h.next(code, at)
		if k != plain {
			piece(plain, code[begun:at])
			piece(k, code[at:at+n])
			begun = at + n
		}
		at += n
	}
	piece(plain, code[begun:])
}

// next returns the kind and the length of the piece at a position between two words.
func (h *highlighter) next(code string, at int) (kind, int) {
	rest := code[at:]
	if n := h.commentLen(code, at); n > 0 {
		return comment, n
	}
	if n := h.quotedLen(rest); n > 0 {
		if h.isKey(rest[n:], true) {
			return key, n
		}
		return quoted, n
	}
	if isDigit(rest[0]) {
		return number, numberLen(rest)
	}
	if n := h.wordLen(rest); n > 0 {
		return h.wordKind(rest[:n], rest[n:]), n
	}
	_, n := utf8.DecodeRuneInString(rest)
	return plain, n
}

func (h *highlighter) commentLen(code string, at int) int {
	rest := code[at:]
	if n := enclosed(rest, h.comments); n > 0 {
		return n
	}
	if h.Comment == "" || !strings.HasPrefix(rest, h.Comment) {
		return 0
	}
	if at > 0 && !strings.ContainsRune(" \t\n;,()[]{}", rune(code[at-1])) {
		return 0 // it belongs to a word or an address: $#, https://
	}
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		return end
	}
	return len(rest)
}

// quotedLen returns the length of the string at the start of code, or 0 if there is none.
func (h *highlighter) quotedLen(code string) int {
	if n := enclosed(code, h.strings); n > 0 {
		return n
	}
	quote := code[0]
	if strings.IndexByte(h.Quotes, quote) < 0 {
		return 0
	}
	for i := 1; i < min(len(code), longestString) && code[i] != '\n'; i++ {
		switch {
		case code[i] == '\\':
			i++
		case code[i] == quote && quote == '\'' && h.Chars && code[1] != '\\' && utf8.RuneCountInString(code[1:i]) != 1:
			return 0 // a lifetime in Rust
		case code[i] == quote:
			return i + 1
		}
	}
	return 0 // an apostrophe
}

// enclosed returns the length of the text at the start of code that one of the pairs encloses, 0 if there is none. It
// extends to the end of code if the closing part is missing.
func enclosed(code string, pairs []string) int {
	for p := pairs; len(p) > 1; p = p[2:] {
		inside, found := strings.CutPrefix(code, p[0])
		if !found {
			continue
		}
		if end := strings.Index(inside, p[1]); end >= 0 {
			return len(p[0]) + end + len(p[1])
		}
		return len(code)
	}
	return 0
}

// numberLen accepts a point only before another digit: 1..2, 3.min().
func numberLen(code string) int {
	n := 1
	for n < len(code) && (isWordByte(code[n]) || code[n] == '.' && n+1 < len(code) && isDigit(code[n+1])) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (h *highlighter) wordLen(code string) int {
	n := strings.IndexFunc(code, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(h.Letters, r)
	})
	if n < 0 {
		return len(code)
	}
	return n
}

func (h *highlighter) wordKind(word, rest string) kind {
	if h.Loose {
		word = strings.ToLower(word)
	}
	switch known := h.words[word]; {
	case h.isKey(rest, false):
		return key
	case known != plain:
		return known
	case strings.HasPrefix(rest, "("), strings.HasPrefix(word, "@") && len(word) > 1:
		return function
	}
	return plain
}

// isKey reports whether the text before rest is the name of a value. After a word, a colon must be followed by a space,
// unlike in https://.
func (h *highlighter) isKey(rest string, isString bool) bool {
	if h.Keys == "" {
		return false
	}
	value, found := strings.CutPrefix(strings.TrimLeft(rest, " "), h.Keys)
	return found && (isString || value == "" || value[0] == ' ' || value[0] == '\n' || h.Keys == "=" && value[0] != '=')
}

func diffPieces(code string, piece func(kind, string)) {
	for line := range strings.Lines(code) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"),
			strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff "):
			piece(heading, line)
		case line[0] == '+':
			piece(added, line)
		case line[0] == '-':
			piece(removed, line)
		default:
			piece(plain, line)
		}
	}
}
