package markdown

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/markdown/math"
)

// footnoteNumber returns the number of a footnote at the start of text, such as [^1], and the length of its mark. It
// returns 0 if there is none. Marks with letters stay text, because they may belong to a regular expression.
func footnoteNumber(text []byte) (number, length int) {
	mark := footnotePattern().FindSubmatch(text)
	if mark == nil {
		return 0, 0
	}
	number, _ = strconv.Atoi(string(mark[1]))
	return number, len(mark[0])
}

var footnotePattern = sanitize.Pattern(`^\[\^([1-9][0-9]{0,3})\]`)

// footnotes parses the texts of footnotes, which stay in their places.
type footnotes struct{ parser.BlockParser }

func (f footnotes) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	if at := pc.BlockOffset(); at < 0 {
		return nil, parser.NoChildren
	} else if number, _ := footnoteNumber(line[at:]); number == 0 {
		return nil, parser.NoChildren
	}
	return f.BlockParser.Open(parent, reader, pc)
}

func (footnotes) Close(ast.Node, text.Reader, parser.Context) {}

// footnoteMarks parses the marks of footnotes within paragraphs.
type footnoteMarks struct{}

func (footnoteMarks) Trigger() []byte { return []byte{'['} }

func (footnoteMarks) Parse(_ ast.Node, reader text.Reader, _ parser.Context) ast.Node {
	line, _ := reader.PeekLine()
	number, length := footnoteNumber(line)
	if number == 0 || bytes.HasPrefix(line[length:], []byte("(")) {
		return nil
	}
	reader.Advance(length)
	return east.NewFootnoteLink(number)
}

// footnoteMark writes the number of a footnote, apart from one right before it.
func (in *inline) footnoteMark(n *east.FootnoteLink, p pen) {
	p.color = in.style.Mark
	number, _ := math.Raised(strconv.Itoa(n.Index))
	if _, ok := n.PreviousSibling().(*east.FootnoteLink); ok {
		number = "," + number
	}
	p.write(&in.out, number)
}

// footnote draws the text of a footnote beside its number.
func (d *drawing) footnote(n *east.Footnote, width int, p pen) []string {
	number, _ := math.Raised(string(n.Ref))
	p.color = d.style.Quote
	return d.marked(number, n, width, p)
}

// isNextFootnote reports whether n is a footnote right below another one.
func isNextFootnote(n ast.Node) bool {
	if n == nil || n.Kind() != east.KindFootnote || n.HasBlankPreviousLines() {
		return false
	}
	return n.PreviousSibling() != nil && n.PreviousSibling().Kind() == east.KindFootnote
}
