package markdown

import (
	"bufio"
	"bytes"
	stdhtml "html"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// inline writes the content of a block: text with its emphasis, code and links, on one line except for hard breaks.
type inline struct {
	*drawing
	tags int // in each other
	out  strings.Builder
}

// inline returns the content of n, written with p.
func (d *drawing) inline(n ast.Node, p pen) string {
	in := inline{drawing: d}
	in.children(n, p)
	return strings.Trim(in.out.String(), " ")
}

func (in *inline) children(n ast.Node, p pen) { in.siblings(n.FirstChild(), nil, p) }

// siblings writes n and its next siblings up to end.
func (in *inline) siblings(n, end ast.Node, p pen) {
	for ; n != end; n = n.NextSibling() {
		if closing := in.enclosed(n, end, p); closing != nil {
			n = closing
			continue
		}
		in.node(n, p)
	}
}

func (in *inline) node(n ast.Node, p pen) {
	switch n := n.(type) {
	case *ast.Text:
		in.text(n, p)
	case *ast.CodeSpan:
		p.color = in.style.Code
		code := in.raw(n)
		if p.color == "" {
			code = "`" + code + "`"
		}
		p.write(&in.out, code)
	case *ast.Emphasis:
		p.italic = p.italic || n.Level == 1
		p.bold = p.bold || n.Level == 2
		in.children(n, p)
	case *east.Strikethrough:
		p.strike = true
		in.children(n, p)
	case *ast.Link:
		in.link(n, n.Destination, n.Title, p)
	case *ast.Image:
		p.write(&in.out, "image: ")
		in.link(n, n.Destination, n.Title, p)
	case *ast.AutoLink:
		p = in.linked(p, string(n.URL(in.source)))
		p.write(&in.out, sanitize.Line(string(n.Label(in.source))))
	case *east.TaskCheckBox: // drawn in place of the item's bullet
	case *east.FootnoteLink:
		in.footnoteMark(n, p)
	case *ast.String:
		in.formula(n.Value, p)
	case *ast.RawHTML:
		in.html(n, p)
	default:
		in.children(n, p)
	}
}

func (in *inline) text(n *ast.Text, p pen) {
	text := string(n.Segment.Value(in.source))
	if !n.IsRaw() {
		text = unescape(text)
	}
	text = sanitize.Text(strings.ReplaceAll(text, "\n", " "))
	if in.beginsRow() {
		text = strings.TrimLeft(text, " ")
	}
	p.write(&in.out, text)
	switch {
	case n.HardLineBreak(), n.SoftLineBreak() && isDefinition(in.source[n.Segment.Stop:]):
		in.out.WriteByte('\n')
	case n.SoftLineBreak() && !in.beginsRow():
		p.write(&in.out, " ")
	}
}

// beginsRow reports whether a line break was just written, such as that of <br>.
func (in *inline) beginsRow() bool { return strings.HasSuffix(in.out.String(), "\n") }

var definition = sanitize.Pattern(`^\[[^\[\]\n]+\]:`)

// isDefinition reports whether the next line defines a link or a footnote. Each begins a row, as in a list of sources.
func isDefinition(next []byte) bool {
	next = bytes.TrimLeft(next, " \n>")
	return len(next) > 0 && next[0] == '[' && definition().Match(next)
}

// unescape replaces entities, and escapes by what they escape.
func unescape(text string) string {
	if !strings.ContainsAny(text, `&\`) {
		return text
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	html.DefaultWriter.Write(w, []byte(text)) // as HTML
	_ = w.Flush()
	return stdhtml.UnescapeString(b.String())
}

// raw returns the text of a code span unchanged.
func (in *inline) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(in.source))
		}
	}
	return sanitize.Text(strings.ReplaceAll(b.String(), "\n", " "))
}
