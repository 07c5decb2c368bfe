package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Reading is the maximum width of prose, in cells. Code and tables use the whole width.
const Reading = 100

// Renderer turns Markdown into rows. Not safe for concurrent use.
type Renderer struct {
	width  int
	method ansi.Method
	style  Style

	tail   string // text whose rows were not returned yet
	head   int    // bytes of the tail that repeat marks from the text before, which are not drawn again
	begun  bool   // rows were returned
	gap    bool   // a blank row comes before the next ones
	number int    // of the item that the tail begins with; 0 for none
}

// NewRenderer returns a renderer for rows of at most width cells, as the terminal measures them by method.
func NewRenderer(width int, method ansi.Method, style Style) *Renderer {
	return &Renderer{width: max(1, width), method: method, style: style}
}

// rows draws parsed Markdown. The rows contain only text, colours and links to http, https and mailto, and do not
// depend on each other.
func (r *Renderer) rows(doc ast.Node, source []byte) []string {
	d := drawing{Renderer: r, source: source}
	return r.clipped(d.flow(doc, r.width, pen{}))
}

// drawing is one block being rendered.
type drawing struct {
	*Renderer
	source []byte
	depth  int // of lists with bullets
}

// flow draws the blocks inside n with blank rows between them; in a list item only where the text has them.
func (d *drawing) flow(n ast.Node, width int, p pen) []string {
	_, isItem := n.(*ast.ListItem)
	var rows []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		block := d.block(c, width, p)
		if len(rows) > 0 && len(block) > 0 && (!isItem || c.HasBlankPreviousLines()) && !isNextFootnote(c) {
			rows = append(rows, "")
		}
		rows = append(rows, block...)
	}
	return rows
}

func (d *drawing) block(n ast.Node, width int, p pen) []string {
	switch n := n.(type) {
	case *ast.Heading:
		p.bold, p.under = true, n.Level == 1
		if n.Level <= 2 {
			p.color = d.style.Heading
		}
		return d.paragraph(n, width, p)
	case *ast.Blockquote:
		return d.quote(n, width, p)
	case *ast.List:
		return d.list(n, width, p)
	case *details:
		return d.details(n, width, p)
	case *east.DefinitionList:
		return d.definitions(n, width, p)
	case *east.Footnote:
		return d.footnote(n, width, p)
	case *formulaBlock:
		return d.formula(n, width, p)
	case *ast.FencedCodeBlock:
		if rows := d.fencedFormula(n, width, p); rows != nil {
			return rows
		}
		return append(d.label(n, width), d.code(d.rawLines(n), string(n.Language(d.source)), width)...)
	case *ast.CodeBlock:
		return d.code(d.rawLines(n), "", width)
	case *ast.HTMLBlock:
		html := d.rawLines(n)
		if n.HasClosure() {
			html += "\n" + string(n.ClosureLine.Value(d.source))
		}
		return Wrap(p.paint(sanitize.Text(strings.TrimRight(html, "\n"))), min(width, Reading), d.method)
	case *ast.ThematicBreak:
		return []string{pen{color: d.style.Rule}.paint(strings.Repeat("─", min(width, 40)))}
	case *east.Table:
		return d.table(n, width, p)
	case *ast.Paragraph, *ast.TextBlock:
		return d.paragraph(n, width, p)
	}
	return d.flow(n, width, p)
}

func (d *drawing) paragraph(n ast.Node, width int, p pen) []string {
	text := d.inline(n, p)
	if text == "" {
		return nil
	}
	return Wrap(text, min(width, Reading), d.method)
}

func (d *drawing) list(n *ast.List, width int, p pen) []string {
	if !n.IsOrdered() {
		d.depth++
		defer func() { d.depth-- }()
	}
	var rows []string
	numbers := numbers(n, d.source)
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		block := d.item(n, item, numbers[0], width, p)
		numbers = numbers[1:]
		if len(rows) > 0 && item.HasBlankPreviousLines() {
			rows = append(rows, "")
		}
		rows = append(rows, block...)
	}
	return rows
}

// item draws an item of a list beside its mark.
func (d *drawing) item(list *ast.List, item ast.Node, number, width int, p pen) []string {
	mark := ""
	if list.IsOrdered() {
		mark = strconv.Itoa(number) + string(list.Marker)
	}
	if box := box(item); box != "" {
		mark = strings.TrimLeft(mark+" "+box, " ")
	}
	if mark == "" {
		mark = bullets[(d.depth-1)%len(bullets)]
	}
	return d.marked(mark, item, width, p)
}

var bullets = []string{"•", "◦", "▪"} // of lists in each other

// marked draws the blocks inside n beside a mark, which has its own row if there is no room for both.
func (d *drawing) marked(mark string, n ast.Node, width int, p pen) []string {
	first := pen{color: d.style.Mark}.paint(mark) + " "
	then := strings.Repeat(" ", d.method.StringWidth(first))
	isRepeated, isBullet := n.Pos() < d.head, slices.Contains(bullets, mark)
	if isRepeated {
		first = then
	}
	rows := d.beside(first, then, width, func(w int) []string { return d.flow(n, w, p) })
	switch {
	case isRepeated && !n.HasChildren():
		return nil
	case !isRepeated && d.tooNarrow(first, width) && (!isBullet || len(rows) == 0):
		return append(Wrap(strings.TrimRight(first, " "), width, d.method), rows...)
	}
	return rows
}

// box returns the box of a task, or "".
func box(item ast.Node) string {
	if text := item.FirstChild(); text != nil {
		if box, ok := text.FirstChild().(*east.TaskCheckBox); ok {
			if box.IsChecked {
				return "☑"
			}
			return "☐"
		}
	}
	return ""
}

// numbers returns the numbers of the items of a list: those of the text, but an item with the same number as the one
// before is the next.
func numbers(list *ast.List, source []byte) (numbers []int) {
	before := 0
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		digits := source[max(0, item.Pos()):]
		own, _ := strconv.Atoi(string(digits[:len(digits)-len(bytes.TrimLeft(digits, "0123456789"))]))
		switch {
		case len(numbers) == 0:
			numbers = append(numbers, list.Start)
		case own == before:
			numbers = append(numbers, numbers[len(numbers)-1]+1)
		default:
			numbers = append(numbers, own)
		}
		before = own
	}
	return numbers
}

// narrow is the minimum width of text, in cells. Bullets and bars beside it are dropped instead, and other marks get
// their own row.
const narrow = 8

func (d *drawing) tooNarrow(first string, width int) bool {
	return width-d.method.StringWidth(first) < narrow
}

// beside draws rows to the right of a mark: first in the first row, then in the others.
func (d *drawing) beside(first, then string, width int, draw func(width int) []string) []string {
	if d.tooNarrow(first, width) {
		return draw(width)
	}
	rows := draw(width - d.method.StringWidth(first))
	if len(rows) == 0 {
		return []string{first}
	}
	for i, row := range rows {
		if i == 0 {
			rows[i] = first + row
		} else {
			rows[i] = strings.TrimRight(then+row, " ")
		}
	}
	return rows
}

// rawLines returns the lines of a block unchanged.
func (d *drawing) rawLines(n ast.Node) string {
	return strings.TrimSuffix(string(n.Lines().Value(d.source)), "\n")
}
