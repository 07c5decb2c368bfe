package markdown

import (
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

const codeIndent = "  "

// code draws a code block, indented and in the colours of its language.
func (r *Renderer) code(source, lang string, width int) []string {
	if source == "" {
		return nil
	}
	source = sanitize.Text(source)
	if h := r.highlighter(lang); h != nil {
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

// highlighter returns the highlighter for a language, nil when it is unknown.
func (r *Renderer) highlighter(lang string) *highlighter {
	h := r.highlighters[lang]
	if h == nil && lang != "" {
		if h = newHighlighter(lang); h != nil {
			if r.highlighters == nil {
				r.highlighters = map[string]*highlighter{}
			}
			r.highlighters[lang] = h
		}
	}
	return h
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
	switch k {
	case keyword:
		return pen{color: s.Keyword}
	case typeName:
		return pen{color: s.Type}
	case function, key:
		return pen{color: s.Function}
	case number:
		return pen{color: s.Number}
	case quoted:
		return pen{color: s.String}
	case comment:
		return pen{color: s.Comment, italic: true}
	case added:
		return pen{color: s.Added}
	case removed:
		return pen{color: s.Removed}
	case heading:
		return pen{color: s.Heading, bold: true}
	}
	return pen{}
}
