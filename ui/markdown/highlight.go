package markdown

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

//go:embed languages.toml
var languageTable []byte

// language finds the kinds of the pieces of code. Code is often incomplete or wrong, so it uses words and quotes and
// ignores grammar. languages.toml explains the fields.
type language struct {
	Names, Comment, Long, Text, Quotes, Letters, Keys string
	Chars, Loose, Markup, Diff                        bool
	Keywords, Types, Values                           string

	words    map[string]kind // of Keywords, Types and Values
	comments []string        // the pairs of Long
	strings  []string        // the pairs of Text
}

// languages reads the table for the first block of code, and returns the languages by their names.
var languages = sync.OnceValue(func() map[string]*language {
	var table struct{ Languages []*language }
	_ = toml.Unmarshal(languageTable, &table) // a test checks the table
	byName := map[string]*language{}
	for _, l := range table.Languages {
		l.comments, l.strings, l.words = strings.Fields(l.Long), strings.Fields(l.Text), map[string]kind{}
		for i, words := range []string{l.Keywords, l.Types, l.Values} {
			for word := range strings.FieldsSeq(words) {
				l.words[word] = []kind{keyword, typeName, number}[i]
			}
		}
		for name := range strings.FieldsSeq(l.Names) {
			byName[name] = l
		}
	}
	return byName
})

// languageOf returns the language with a name after a fence, nil if it is unknown.
func languageOf(name string) *language { return languages()[strings.ToLower(name)] }

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

// longestString bounds the search for the end of a string, in bytes. Many quotes without an end would make it
// quadratic.
const longestString = 1000

// pieces calls piece with every piece of code, in order. The pieces together are the code.
func (l *language) pieces(code string, piece func(kind, string)) {
	switch {
	case l.Diff:
		diffPieces(code, piece)
	case l.Markup:
		l.markupPieces(code, piece)
	default:
		l.codePieces(code, piece)
	}
}

func (l *language) codePieces(code string, piece func(kind, string)) {
	begun := 0 // start of plain text
	for at := 0; at < len(code); {
		k, n := l.next(code, at)
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
func (l *language) next(code string, at int) (kind, int) {
	rest := code[at:]
	if n := l.commentLen(code, at); n > 0 {
		return comment, n
	}
	if n := l.quotedLen(rest); n > 0 {
		if l.isKey(rest[n:], true) {
			return key, n
		}
		return quoted, n
	}
	if isDigit(rest[0]) {
		return number, numberLen(rest)
	}
	if n := l.wordLen(rest); n > 0 {
		return l.wordKind(rest[:n], rest[n:]), n
	}
	_, n := utf8.DecodeRuneInString(rest)
	return plain, n
}

func (l *language) commentLen(code string, at int) int {
	rest := code[at:]
	if n := enclosed(rest, l.comments); n > 0 {
		return n
	}
	if l.Comment == "" || !strings.HasPrefix(rest, l.Comment) {
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
func (l *language) quotedLen(code string) int {
	if n := enclosed(code, l.strings); n > 0 {
		return n
	}
	quote := code[0]
	if strings.IndexByte(l.Quotes, quote) < 0 {
		return 0
	}
	for i := 1; i < min(len(code), longestString) && code[i] != '\n'; i++ {
		switch {
		case code[i] == '\\':
			i++
		case code[i] == quote && quote == '\'' && l.Chars && code[1] != '\\' && utf8.RuneCountInString(code[1:i]) != 1:
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

func (l *language) wordLen(code string) int {
	n := strings.IndexFunc(code, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(l.Letters, r)
	})
	if n < 0 {
		return len(code)
	}
	return n
}

func (l *language) wordKind(word, rest string) kind {
	if l.Loose {
		word = strings.ToLower(word)
	}
	switch known := l.words[word]; {
	case l.isKey(rest, false):
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
func (l *language) isKey(rest string, isString bool) bool {
	if l.Keys == "" {
		return false
	}
	value, found := strings.CutPrefix(strings.TrimLeft(rest, " "), l.Keys)
	return found && (isString || value == "" || value[0] == ' ' || value[0] == '\n' || l.Keys == "=" && value[0] != '=')
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
