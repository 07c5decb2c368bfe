package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/aloudchat/aloud/sanitize"
)

// newParser returns a parser that loses no text. It leaves out goldmark's default for paragraphs, which takes the
// definitions of links out of them.
func newParser() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	blocks[0] = util.Prioritized(underline{parser.NewSetextHeadingParser()}, blocks[0].Priority)
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...))),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
	).Parser()
}

// underline parses headings with a line below. It refuses those of a table, which would be drawn before the text above.
type underline struct{ parser.BlockParser }

var tableRule = sanitize.Pattern(`^[-|: ]*-[-|: ]*\n?$`)

func (u underline) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if above, ok := pc.LastOpenedBlock().Node.(*ast.Paragraph); ok {
		for i := range above.Lines().Len() {
			if line := above.Lines().At(i); tableRule().Match(line.Value(reader.Source())) {
				return nil, parser.NoChildren
			}
		}
	}
	return u.BlockParser.Open(parent, reader, pc)
}
