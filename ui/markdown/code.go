package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const codeIndent = "  "

// code draws a code block, indented, on its background and in the colours of its language.
func (r *Renderer) code(source, lang string, width int) []string {
	if source == "" {
		return nil
	}
	source = sanitize.Text(source)
	if l := languageOf(lang); l != nil {
		source = r.paint(l, source)
	}
	indent := codeIndent
	if width < narrow+len(indent) {
		indent = ""
	}
	var rows []string
	for line := range strings.SplitSeq(source, "\n") {
		for _, row := range r.fold(line, width-len(indent)) {
			if row != "" {
				row = indent + row
			}
			rows = append(rows, r.onGround(row, width))
		}
	}
	return rows
}

// fold breaks a line of code into rows, at spaces if possible, with a mark at the end of all but the last.
func (r *Renderer) fold(line string, width int) []string {
	const mark = " ↩"
	line = strings.ReplaceAll(line, "\t", "    ")
	switch {
	case r.method.StringWidth(line) <= width:
		return []string{line}
	case width < 2*narrow:
		return Chop(line, width, r.method)
	}
	width -= r.method.StringWidth(mark)
	rows := Wrap(line, width, r.method)
	if strings.TrimSpace(ansi.Strip(rows[0])) == "" { // before a word that is too long
		rows = Chop(line, width, r.method)
	}
	for i, row := range rows[:len(rows)-1] {
		space := strings.Repeat(" ", max(0, width-r.method.StringWidth(row)))
		rows[i] += space + r.penOf(comment).paint(mark)
	}
	return rows
}

// onGround draws a row on the background of code, if there is one.
func (r *Renderer) onGround(row string, width int) string {
	if r.style.Ground == nil {
		return row
	}
	return r.style.Ground(row, width)
}

// label draws what a fence says about its code: in the upper right corner of the background, or after a line that
// begins the block.
func (d *drawing) label(n *ast.FencedCodeBlock, width int) []string {
	if n.Info == nil || n.Pos() < d.head {
		return nil
	}
	info := sanitize.Line(unescape(string(n.Info.Segment.Value(d.source))))
	switch {
	case info == "":
		return nil
	case d.style.Ground == nil:
		return Wrap("── "+info, width, d.method)
	}
	rows := Wrap(info, width-len(codeIndent), d.method)
	for i, row := range rows {
		left := strings.Repeat(" ", max(0, width-1-d.method.StringWidth(row)))
		rows[i] = d.onGround(left+pen{color: d.style.Comment}.paint(row), width)
	}
	return rows
}

// Code returns the blocks of code in a text.
func Code(text string) (blocks []string) {
	source := []byte(text)
	_ = ast.Walk(theParser().Parse(gmtext.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if code := string(n.Lines().Value(source)); entering && code != "" {
				blocks = append(blocks, code)
			}
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// paint returns code in colours, line by line, without a change to its text.
func (r *Renderer) paint(l *language, code string) string {
	var b strings.Builder
	l.pieces(code, func(k kind, text string) {
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
