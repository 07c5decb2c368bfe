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
const maxFormula = 1000

var kindFormulaBlock = ast.NewNodeKind("FormulaBlock")

// formulaBlock is a formula on its own lines.
type formulaBlock struct {
	closable
	end string // the mark that ends it
}

func (*formulaBlock) Kind() ast.NodeKind { return kindFormulaBlock }

// marks returns the mark that a formula begins with at the start of text, and the one that ends it, or "".
func marks(text []byte) (begin, end string) {
	for _, m := range [...][2]string{{"$$", "$$"}, {`\[`, `\]`}, {`\(`, `\)`}, {"$", "$"}} {
		if bytes.HasPrefix(text, []byte(m[0])) {
			return m[0], m[1]
		}
	}
	return "", ""
}

// formulas parses formulas within paragraphs: \(x\), \[x\], $x$ and $$x$$. Each is an [ast.String] with its source, as
// is another escaped bracket, which keeps its backslash because a model that writes one means a formula.
type formulas struct{}

func (formulas) Trigger() []byte { return []byte{'\\', '$'} }

func (formulas) Parse(_ ast.Node, reader text.Reader, _ parser.Context) ast.Node {
	before := reader.PrecendingCharacter()
	source, _ := reader.PeekLine()
	begin, end := marks(source)
	isDollar := begin == "$"
	length := len(begin) // of a bracket that begins no formula
	switch {
	case bytes.HasPrefix(source, []byte(`\)`)), bytes.HasPrefix(source, []byte(`\]`)):
		length = 2
	case begin == "", isDollar && (unicode.IsLetter(before) || unicode.IsDigit(before) || before == '$'):
		return nil
	default:
		source = ahead(reader, maxFormula)
		i := closing(source[length:], end)
		// A formula right after a word is rather an escaped bracket, as in a\[0\].
		isWord := before < utf8.RuneSelf && (unicode.IsLetter(before) || unicode.IsDigit(before))
		if i >= 0 && !isWord && (!isDollar || isMath(string(source[length:length+i]))) {
			length += i + len(end)
		} else if begin[0] == '$' {
			return nil
		}
	}
	reader.Advance(length)
	return ast.NewString(source[:length])
}

// ahead returns the next n bytes of a paragraph, or its rest.
func ahead(reader text.Reader, n int) (next []byte) {
	at, position := reader.Position()
	defer reader.SetPosition(at, position)
	for len(next) < n {
		line, _ := reader.PeekLine()
		if line == nil {
			return next
		}
		next = append(next, line[:min(len(line), n-len(next))]...)
		reader.AdvanceLine()
	}
	return next
}

// closing returns where the mark is that ends a formula which begins with source, or -1. A single dollar must come
// after the formula and before no letter or digit, so that "$5 and $6" is text.
func closing(source []byte, end string) int {
	for i := 0; i < len(source); i++ {
		if !bytes.HasPrefix(source[i:], []byte(end)) {
			if source[i] == '\\' {
				i++
			}
			continue
		}
		next, _ := utf8.DecodeRune(source[i+len(end):])
		isOpen := unicode.IsLetter(next) || unicode.IsDigit(next) || next == '$'
		if end == "$" && (isOpen || len(bytes.TrimSpace(source[:i])) == 0 || source[i-1] == ' ') {
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
type formulaBlocks struct{ interrupting }

func (formulaBlocks) Trigger() []byte { return []byte{'$', '\\'} }

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
func (in *inline) formula(source []byte, p pen) {
	begin, end := marks(source)
	text := string(source)
	body, ok := strings.CutSuffix(text[len(begin):], end)
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
