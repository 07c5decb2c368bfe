package markdown

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits for a block. What exceeds them would take quadratic time, and is shown as text.
const (
	maxLists  = 50     // in each other
	maxQuotes = 20     // in each other; details, too
	maxLinks  = 100    // in each other, or brackets that are not closed
	maxCells  = 10_000 // of a table
)

// theParser returns the parser of all renderers, which is safe for concurrent use. It is made for the first block.
var theParser = sync.OnceValue(newParser)

// newParser returns a parser that loses no text and takes little time for any text. It leaves out goldmark's default
// for paragraphs, which takes the definitions of links out of them.
func newParser() parser.Parser {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(
				util.Prioritized(underline{parser.NewSetextHeadingParser()}, 100),
				util.Prioritized(parser.NewThematicBreakParser(), 200),
				util.Prioritized(shallow{parser.NewListParser(), ast.KindList, maxLists}, 300),
				util.Prioritized(parser.NewListItemParser(), 400),
				util.Prioritized(parser.NewCodeBlockParser(), 500),
				util.Prioritized(parser.NewATXHeadingParser(), 600),
				util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
				util.Prioritized(shallow{parser.NewBlockquoteParser(), ast.KindBlockquote, maxQuotes}, 800),
				util.Prioritized(formulaBlocks{}, 850),
				util.Prioritized(footnotes{extension.NewFootnoteBlockParser()}, 860),
				util.Prioritized(extension.NewDefinitionListParser(), 870),
				util.Prioritized(extension.NewDefinitionDescriptionParser(), 871),
				util.Prioritized(shallow{detailsParser{}, kindDetails, maxQuotes}, 880),
				util.Prioritized(summaryParser{}, 881),
				util.Prioritized(parser.NewHTMLBlockParser(), 900),
				util.Prioritized(parser.NewParagraphParser(), 1000)),
			parser.WithInlineParsers(
				util.Prioritized(formulas{}, 50),
				util.Prioritized(parser.NewCodeSpanParser(), 100),
				util.Prioritized(footnoteMarks{}, 150),
				util.Prioritized(links{parser.NewLinkParser()}, 200),
				util.Prioritized(parser.NewAutoLinkParser(), 300),
				util.Prioritized(parser.NewRawHTMLParser(), 400),
				util.Prioritized(emphasis{parser.NewEmphasisParser()}, 500),
				util.Prioritized(emphasis{extension.NewStrikethroughParser()}, 500)),
			parser.WithParagraphTransformers(
				util.Prioritized(alerts{}, 100),
				util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200)),
			parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))),
		goldmark.WithExtensions(extension.TaskList, extension.Linkify),
	).Parser()
}

// closable is a block that ends with a mark.
type closable struct {
	ast.BaseBlock
	isClosed bool
}

// Dump is for goldmark's own debugging.
func (*closable) Dump([]byte, int) {}

// interrupting is part of the parsers of blocks that may begin right below a paragraph.
type interrupting struct{}

func (interrupting) CanInterruptParagraph() bool                 { return true }
func (interrupting) CanAcceptIndentedLine() bool                 { return false }
func (interrupting) Close(ast.Node, text.Reader, parser.Context) {}

// underline parses headings with a line below. It refuses those of a table, which would be drawn before the text above.
type underline struct{ parser.BlockParser }

func (u underline) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if above, ok := pc.LastOpenedBlock().Node.(*ast.Paragraph); ok && columns(above, reader) > 0 {
		return nil, parser.NoChildren
	}
	return u.BlockParser.Open(parent, reader, pc)
}

// shallow parses blocks of a kind, up to a depth.
type shallow struct {
	parser.BlockParser
	kind ast.NodeKind
	most int
}

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, isList := parent.(*ast.List) // whose parser must see each of its items
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if n.Kind() == s.kind {
			depth++
		}
	}
	if depth >= s.most && !isList {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// tables makes tables of paragraphs, up to maxCells.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(p *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if columns(p, reader)*p.Lines().Len() <= maxCells {
		t.ParagraphTransformer.Transform(p, reader, pc)
	}
}

// columns returns the number of columns of the table that a paragraph seems to have, or 0. They are counted in the line
// below the head, such as "|---|:-:|".
func columns(p *ast.Paragraph, reader text.Reader) int {
	for i := 1; i < p.Lines().Len(); i++ {
		line := p.Lines().At(i)
		rules := string(bytes.Trim(line.Value(reader.Source()), "| \n"))
		if strings.Contains(rules, "-") && strings.Trim(rules, "-|: ") == "" {
			return 1 + strings.Count(rules, "|")
		}
	}
	return 0
}

// emphasis parses emphasis. Languages without spaces between words have marks between a letter and punctuation, as in
// **标题：**内容, which are not parsed in others.
type emphasis struct{ parser.InlineParser }

func (e emphasis) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	before := reader.PrecendingCharacter()
	node := e.InlineParser.Parse(parent, reader, pc)
	line, _ := reader.PeekLine()
	if mark, ok := node.(*parser.Delimiter); ok && mark.Char != '_' && len(line) > 0 {
		after, _ := utf8.DecodeRune(line)
		mark.CanOpen = mark.CanOpen || needsNoSpace(before) && util.IsPunctRune(after)
		mark.CanClose = mark.CanClose || needsNoSpace(after) && util.IsPunctRune(before)
	}
	return node
}

// needsNoSpace reports whether c is a letter of Chinese, Japanese or Korean.
func needsNoSpace(c rune) bool { return c >= '⺀' && unicode.IsLetter(c) }

// links parses links and images, up to maxLinks in each other.
type links struct{ parser.InlineParser }

var openLinks = parser.NewContextKey()

func (l links) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	open, _ := pc.Get(openLinks).(int)
	line, _ := reader.PeekLine()
	isEnd := line[0] == ']'
	if !isEnd && open == maxLinks {
		return nil
	}
	node := l.InlineParser.Parse(parent, reader, pc)
	switch {
	case isEnd:
		open = max(0, open-1)
	case node != nil:
		open++
	}
	pc.Set(openLinks, open)
	return node
}

// CloseBlock is called after the text of a block.
func (l links) CloseBlock(parent ast.Node, reader text.Reader, pc parser.Context) {
	pc.Set(openLinks, nil)
	l.InlineParser.(parser.CloseBlocker).CloseBlock(parent, reader, pc)
}
