package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/aloudchat/aloud/sanitize"
)

const codeIndent = "  "

// code draws a code block, indented and in the colours of its language.
func (r *Renderer) code(source, lang string, width int) []string {
	source = sanitize.Text(strings.ReplaceAll(source, "\t", "    "))
	if lexer := r.lexer(lang); lexer != nil {
		source = r.highlight(lexer, source)
	}
	indent := codeIndent
	if width < narrow+len(indent) {
		indent = ""
	}
	rows := Chop(source, width-len(indent), r.method)
	for i, row := range rows {
		if row != "" {
			rows[i] = indent + row
		}
	}
	return rows
}

// lexer returns the lexer for a language, nil when it is unknown.
func (r *Renderer) lexer(lang string) chroma.Lexer {
	if lang == "" || len(lang) > 30 {
		return nil
	}
	lexer, known := r.lexers[lang]
	if !known {
		if lexer = lexers.Get(lang); lexer != nil {
			lexer = chroma.Coalesce(lexer)
		}
		if r.lexers == nil {
			r.lexers = map[string]chroma.Lexer{}
		}
		r.lexers[lang] = lexer
	}
	return lexer
}

// highlight returns source in colours, line by line, without a change to its text.
func (r *Renderer) highlight(lexer chroma.Lexer, source string) string {
	tokens, err := lexer.Tokenise(nil, source)
	if err != nil {
		return source
	}
	var b strings.Builder
	left := len(source) // lexers add a line's end where there is none
	for t := range tokens.Stdlib() {
		text := t.Value[:min(len(t.Value), left)]
		left -= len(text)
		p := r.penOf(t.Type)
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			if strings.TrimSpace(line) == "" {
				b.WriteString(line)
			} else {
				p.write(&b, line)
			}
		}
	}
	return b.String()
}

// penOf chooses the pen for a kind of token. Names and punctuation keep the terminal's own colour: fewer colours say more.
func (r *Renderer) penOf(t chroma.TokenType) pen {
	s := r.style
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameBuiltin, chroma.NameNamespace:
		return pen{color: s.Type}
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameDecorator, chroma.NameTag:
		return pen{color: s.Function}
	case chroma.NameAttribute, chroma.NameConstant, chroma.KeywordConstant:
		return pen{color: s.Number}
	case chroma.GenericInserted:
		return pen{color: s.Added}
	case chroma.GenericDeleted:
		return pen{color: s.Removed}
	case chroma.GenericHeading, chroma.GenericSubheading:
		return pen{color: s.Heading, bold: true}
	}
	switch {
	case t.InCategory(chroma.Comment):
		return pen{color: s.Comment, italic: true}
	case t.InCategory(chroma.Keyword):
		return pen{color: s.Keyword}
	case t.InSubCategory(chroma.LiteralString):
		return pen{color: s.String}
	case t.InSubCategory(chroma.LiteralNumber):
		return pen{color: s.Number}
	}
	return pen{}
}
