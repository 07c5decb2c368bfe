package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var (
	kindDetails = ast.NewNodeKind("Details")
	kindSummary = ast.NewNodeKind("Summary")
)

// details are the blocks between <details> and </details>, each on a line.
type details struct{ closable }

func (*details) Kind() ast.NodeKind { return kindDetails }

// summary is the title of details.
type summary struct{ closable }

func (*summary) Kind() ast.NodeKind { return kindSummary }

// htmlBlock has what the parsers of details and summaries have in common.
type htmlBlock struct{ interrupting }

func (htmlBlock) Trigger() []byte { return []byte{'<'} }

// after returns the rest of the line after a tag that it begins with, and its position in the line; nil if there is no
// such tag.
func (htmlBlock) after(reader text.Reader, pc parser.Context, tag string) (rest []byte, at int) {
	line, _ := reader.PeekLine()
	if at = pc.BlockOffset(); at < 0 || !bytes.HasPrefix(line[at:], []byte(tag)) {
		return nil, 0
	}
	return line[at+len(tag):], at + len(tag)
}

var detailsTags = []string{"<details>", "<details open>"}

type detailsParser struct{ htmlBlock }

func (h detailsParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	for _, tag := range detailsTags {
		rest, at := h.after(reader, pc, tag)
		if rest != nil && !bytes.Contains(rest, []byte("</details>")) {
			reader.Advance(at)
			return &details{}, parser.HasChildren
		}
	}
	return nil, parser.NoChildren
}

func (detailsParser) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if string(bytes.TrimSpace(line)) != "</details>" {
		return parser.Continue | parser.HasChildren
	}
	open := pc.OpenedBlocks()
	for i := len(open) - 1; open[i].Node != n; i-- {
		switch open[i].Node.(type) {
		case *details, *ast.FencedCodeBlock: // the tag belongs to them
			return parser.Continue | parser.HasChildren
		}
	}
	n.(*details).isClosed = true
	reader.AdvanceToEOL()
	return parser.Close
}

type summaryParser struct{ htmlBlock }

func (h summaryParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	rest, at := h.after(reader, pc, "<summary>")
	if _, ok := parent.(*details); !ok || parent.HasChildren() || rest == nil {
		return nil, parser.NoChildren
	}
	reader.Advance(at)
	n := &summary{}
	h.Continue(n, reader, pc)
	return n, parser.NoChildren
}

// Continue adds a line without the closing tag at its end.
func (summaryParser) Continue(n ast.Node, reader text.Reader, _ parser.Context) parser.State {
	s := n.(*summary)
	line, segment := reader.PeekLine()
	if s.isClosed || len(bytes.TrimSpace(line)) == 0 {
		return parser.Close
	}
	before, after, found := bytes.Cut(line, []byte("</summary>"))
	if s.isClosed = found; found && len(bytes.TrimSpace(after)) == 0 {
		segment = text.NewSegment(segment.Start, segment.Start-segment.Padding+len(before))
	}
	if len(bytes.TrimSpace(segment.Value(reader.Source()))) > 0 {
		s.Lines().Append(segment)
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (summaryParser) Close(n ast.Node, reader text.Reader, _ parser.Context) {
	if lines := n.Lines(); lines.Len() > 0 {
		last := lines.At(lines.Len() - 1)
		lines.Set(lines.Len()-1, last.TrimRightSpace(reader.Source()))
	}
}

// details draws details below their title.
func (d *drawing) details(n *details, width int, p pen) []string {
	const indent = "  "
	var rows []string
	bold := p
	bold.bold = true
	title := ""
	if s, ok := n.FirstChild().(*summary); ok {
		title = d.inline(s, bold)
		n.RemoveChild(n, s)
	}
	if title == "" && n.Pos() >= d.head {
		title = bold.paint("Details")
	}
	if title != "" {
		mark := pen{color: d.style.Mark}.paint("▸") + " "
		rows = d.beside(mark, indent, width, func(w int) []string { return Wrap(title, w, d.method) })
	}
	if !n.HasChildren() {
		return rows
	}
	return append(rows, d.beside(indent, indent, width, func(w int) []string { return d.flow(n, w, p) })...)
}
