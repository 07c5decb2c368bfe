package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/markdown/math"
)

// maxFormula is the maximum size of a formula within a paragraph, in bytes.
const maxFormula = 500

var (
	kindFormula      = ast.NewNodeKind("Formula")
	kindFormulaBlock = ast.NewNodeKind("FormulaBlock")
)

// formula is a formula within a paragraph, or an escaped bracket that begins none.
type formula struct {
	ast.BaseInline
	source string // with its marks
}

func (*formula) Kind() ast.NodeKind              { return kindFormula }
func (f *formula) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

// formulaBlock is a formula on its own lines.
type formulaBlock struct {
	ast.BaseBlock
	end      string // the mark that ends it
	isClosed bool
}

func (*formulaBlock) Kind() ast.NodeKind              { return kindFormulaBlock }
func (f *formulaBlock) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

// marks returns the mark that a formula begins with at the start of text, and the one that ends it, or "".
func marks(text []byte) (begin, end string) {
	for _, m := range [...][2]string{{"$$", "$$"}, {`\[`, `\]`}, {`\(`, `\)`}, {"$", "$"}} {
		if bytes.HasPrefix(text, []byte(m[0])) {
			return m[0], m[1]
		}
	}
	return "", ""
}

// formulas parses formulas within paragraphs: \(x\), \[x\], $x$ and $$x$$. It keeps the backslash of other escaped
// brackets, because a model that writes one means a formula.
type formulas struct{}

func (formulas) Trigger() []byte { return []byte{'\\', '$'} }

func (formulas) Parse(_ ast.Node, reader text.Reader, _ parser.Context) ast.Node {
	before := reader.PrecendingCharacter()
	line, segment := reader.PeekLine()
	begin, end := marks(line)
	isDollar := begin == "$"
	switch {
	case begin == "" && len(line) > 1 && line[0] == '\\' && (line[1] == ')' || line[1] == ']'):
		reader.Advance(2)
		return &formula{source: string(line[:2])}
	case begin == "", isDollar && (unicode.IsLetter(before) || unicode.IsDigit(before) || before == '$'):
		return nil
	}
	at, position := reader.Position()
	body := ""
	reader.Advance(len(begin))
	for {
		line, _ = reader.PeekLine()
		if line == nil || len(body) > maxFormula {
			break
		}
		if i := closing(body, line[:min(len(line), maxFormula)], end, isDollar); i >= 0 {
			body += string(line[:i])
			if isDollar && !isMath(body) || isWord(before) {
				break
			}
			reader.Advance(i + len(end))
			return &formula{source: begin + body + end}
		}
		body += string(line)
		reader.AdvanceLine()
	}
	reader.SetPosition(at, position)
	if isDollar || begin == "$$" {
		return nil
	}
	reader.Advance(len(begin))
	return &formula{source: string(segment.Value(reader.Source())[:len(begin)])}
}

// isWord reports whether a formula right after c is rather an escaped bracket, as in a\[0\].
func isWord(c rune) bool { return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) }

// closing returns where in line the mark is that ends a formula which begins with body, or -1. A single dollar must
// come after the formula and before no letter or digit, so that "$5 and $6" is text.
func closing(body string, line []byte, end string, isDollar bool) int {
	for i := 0; i < len(line); i++ {
		isEnd := bytes.HasPrefix(line[i:], []byte(end))
		if !isEnd && line[i] == '\\' {
			i++
		}
		if !isEnd {
			continue
		}
		next, _ := utf8.DecodeRune(line[i+len(end):])
		isWord := unicode.IsLetter(next) || unicode.IsDigit(next) || next == '$'
		switch {
		case !isDollar:
			return i
		case strings.TrimSpace(body) == "" && i == 0, i > 0 && line[i-1] == ' ', isWord:
			return -1
		}
		return i
	}
	return -1
}

// isMath reports whether what is between two dollars is a formula and not, for example, names of variables of a shell.
func isMath(body string) bool {
	if body[0] == ' ' || body[0] == '\n' || strings.ContainsAny(body, "`") {
		return false
	}
	if strings.ContainsAny(body, `\^_{`) {
		return true
	}
	letters := 0
	for word := range strings.FieldsFuncSeq(body, func(r rune) bool { return !unicode.IsLetter(r) }) {
		letters = max(letters, len(word))
	}
	return letters < 2 || letters == 2 && strings.ContainsAny(body, "=<>+-")
}

// formulaBlocks parses formulas that begin a line with $$, \[ or \begin{name}. They end with their mark or before a
// blank line.
type formulaBlocks struct{}

func (formulaBlocks) Trigger() []byte             { return []byte{'$', '\\'} }
func (formulaBlocks) CanInterruptParagraph() bool { return true }
func (formulaBlocks) CanAcceptIndentedLine() bool { return false }

func (formulaBlocks) Close(ast.Node, text.Reader, parser.Context) {}

func (formulaBlocks) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	begin, end := marks(line[at:])
	if name, ok := bytes.CutPrefix(line[at:], []byte(`\begin{`)); ok && bytes.IndexByte(name, '}') > 0 {
		end = `\end{` + string(name[:bytes.IndexByte(name, '}')+1])
	}
	if len(end) < 2 || end == `\)` {
		return nil, parser.NoChildren
	}
	f := &formulaBlock{end: end}
	if _, after, ok := bytes.Cut(line[at+len(begin):], []byte(end)); ok {
		if len(bytes.TrimSpace(after)) > 0 {
			return nil, parser.NoChildren
		}
		f.isClosed = true
	}
	f.Lines().Append(text.NewSegment(segment.Start-segment.Padding+at, segment.Stop))
	reader.AdvanceToEOL()
	return f, parser.NoChildren
}

func (formulaBlocks) Continue(n ast.Node, reader text.Reader, _ parser.Context) parser.State {
	f := n.(*formulaBlock)
	line, segment := reader.PeekLine()
	if f.isClosed || len(bytes.TrimSpace(line)) == 0 {
		return parser.Close
	}
	f.Lines().Append(segment)
	f.isClosed = bytes.Contains(line, []byte(f.end))
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// formula writes a formula on one line, or its source if it is not understood.
func (in *inline) formula(f *formula, p pen) {
	begin, end := marks([]byte(f.source))
	text := f.source
	body, ok := strings.CutSuffix(strings.TrimPrefix(text, begin), end)
	isReference := begin == `\[` && !strings.ContainsAny(body, `\^_{=<>+`) // such as \[1\]
	if ok && begin != "" && !isReference {
		if set, ok := math.Inline(body); ok {
			text = set
		}
	}
	p.write(&in.out, sanitize.Text(strings.ReplaceAll(text, "\n", " ")))
}

// formula draws a formula in two dimensions, or its source if it is still open or not understood.
func (d *drawing) formula(f *formulaBlock, width int, p pen) []string {
	source := strings.TrimSpace(d.rawLines(f))
	body, ok := strings.CutSuffix(source[2:], f.end)
	if strings.HasPrefix(source, `\begin`) {
		body = source
	}
	if ok && f.isClosed {
		if rows := d.set(body, width, p); rows != nil {
			return rows
		}
	}
	return Wrap(p.paint(sanitize.Text(source)), width, d.method)
}

// fencedFormula draws a finished block of code in the language math, or returns nil if it is none.
func (d *drawing) fencedFormula(n *ast.FencedCodeBlock, width int, p pen) []string {
	if n.Info == nil || string(n.Info.Segment.Value(d.source)) != "math" || n.Lines().Len() == 0 || n.Pos() < d.head {
		return nil
	}
	if end := n.Lines().At(n.Lines().Len() - 1).Stop; len(bytes.TrimSpace(d.source[end:])) == 0 { // not closed
		return nil
	}
	return d.set(d.rawLines(n), width, p)
}

// set returns the indented rows of a formula in two dimensions, or nil.
func (d *drawing) set(source string, width int, p pen) []string {
	indent := codeIndent
	if width < 2*narrow {
		indent = ""
	}
	rows, ok := math.Display(source, width-len(indent), d.method)
	if !ok {
		return nil
	}
	for i, row := range rows {
		rows[i] = indent + p.paint(row)
	}
	return rows
}
