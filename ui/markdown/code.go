package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const codeIndent = "  "

// code draws a code block, indented and in the colours of its language.
func (r *Renderer) code(source, lang string, width int) []string {
	if source == "" {
		return nil
	}
	source = sanitize.Text(source)
	if h := newHighlighter(lang); h != nil {
		source = r.paint(h, source)
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

// otherNames are names after a fence of what is not in the table of languages, with spaces around them.
const otherNames = " diff none patch plain plaintext text txt "

// caption draws what a fence says about its code, unless that is only a language whose colours the code has.
func (d *drawing) caption(n *ast.FencedCodeBlock, width int) []string {
	if n.Info == nil || n.Pos() < d.head {
		return nil
	}
	info := sanitize.Line(unescape(string(n.Info.Segment.Value(d.source))))
	lang, rest, _ := strings.Cut(info, " ")
	if lang = strings.ToLower(lang); strings.Contains(otherNames, " "+lang+" ") || languageOf(lang) != nil {
		info = rest
	}
	if info == "" {
		return nil
	}
	return d.code(info, "", width)
}

// paint returns code in colours, line by line, without a change to its text.
func (r *Renderer) paint(h *highlighter, code string) string {
	var b strings.Builder
	h.pieces(h, code, func(k kind, text string) {
		p := r.penOf(k)
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
	})
	return b.String()
}

func (r *Renderer) penOf(k kind) pen {
	s := r.style
	return [...]pen{
		plain: {}, keyword: {color: s.Keyword}, typeName: {color: s.Type}, number: {color: s.Number},
		function: {color: s.Function}, key: {color: s.Function}, quoted: {color: s.String},
		comment: {color: s.Comment, italic: true}, heading: {color: s.Heading, bold: true},
		added: {color: s.Added}, removed: {color: s.Removed},
	}[k]
}
