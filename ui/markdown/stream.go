package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// maxOpen is the maximum size of a block that is drawn again as it grows, in bytes. A longer block is drawn in pieces.
const maxOpen = 4 << 10

// Write adds text and returns the rows of the blocks that it finishes: all but the last, and all but the last item of a
// list. The rows do not depend on how the text was cut into pieces.
func (r *Renderer) Write(more string) (rows []string) {
	r.tail += strings.ReplaceAll(more, "\t", "    ")
	if len(r.tail) < maxOpen && !strings.Contains(more, "\n") {
		return nil
	}
	for {
		lines := r.window()
		doc, source := r.parse(r.tail[:lines])
		last := doc.LastChild()
		if last == nil && lines > 0 { // blank lines
			r.tail, r.head, r.gap = r.tail[lines:], 0, r.begun
			continue
		}
		part := part{at: 0, gap: !isNextFootnote(last)}
		if list, ok := last.(*ast.List); ok && list.ChildCount() > 1 {
			last, part.gap = list.LastChild(), list.LastChild().HasBlankPreviousLines()
			part.number = numbers(list, source)[list.ChildCount()-1]
		}
		part.at = lineStart(source, last)
		switch {
		case part.at > 0:
			for parent := last.Parent(); last != nil && lineStart(source, last) == part.at; last = parent.LastChild() {
				parent.RemoveChild(parent, last) // a table, and then the paragraph above it
			}
		case lines >= maxOpen || len(r.tail) >= 2*maxOpen:
			at := r.cut(source)
			doc, source = r.parse(r.tail[:at])
			part = resume(doc, source, r.tail[at:max(at, lines)])
		default:
			r.tail = strings.Clone(r.tail) // the written text may be much longer
			return rows
		}
		if len(part.head) > maxHead { // as of a deeply nested list
			part.head = ""
		}
		drawn := r.rows(doc, source)
		rows = r.add(rows, drawn)
		r.begun = r.begun || len(drawn) > 0
		r.tail, r.head = part.head+r.tail[part.at:], len(part.head)
		r.gap, r.number = r.begun && (part.gap || r.gap && len(drawn) == 0), part.number
	}
}

// part is how the text continues after the rows that were returned.
type part struct {
	at     int    // end of the text of the rows
	head   string // repeats the marks of the open blocks
	gap    bool   // a blank row comes next
	number int    // of the first item; 0 for none
}

// partial matches the last line of a text if it could become a mark, or the start of a block of code.
var partial = sanitize.Pattern("^[ >]*(?:[-+*.)0-9 ]*(?:```[^`]*|~~~.*)|[-#>*+=_`~|:.) ]*[0-9]{0,9}[-#>*+=_`~|:.) ]*)$")

// Open returns the rows of the unfinished block, without incomplete marks at its end and as if open marks were closed.
func (r *Renderer) Open() []string {
	shown, line := r.tail, strings.LastIndexByte(r.tail, '\n')+1
	tag := max(line, strings.LastIndexByte(r.tail, '<'))
	switch before := strings.TrimLeft(r.tail[line:tag], " >"); {
	case partial().MatchString(r.tail[line:]):
		shown = r.tail[:line]
	case isTagStart(r.tail[tag:]) && (before == "" || slices.Contains(detailsTags, before)):
		shown = r.tail[:tag]
	}
	doc, source := r.parse(shown)
	if closed := closeMarks(doc, source); closed != shown {
		doc, source = r.parse(closed)
	}
	return r.add(nil, r.rows(doc, source))
}

// Close ends the text and returns the rows that were still open.
func (r *Renderer) Close() []string {
	rows := r.add(nil, r.rows(r.parse(r.tail)))
	r.tail, r.head, r.begun, r.gap, r.number = "", 0, false, false, 0
	return rows
}

// parse parses a part of the text. It numbers a list that continues from the part before.
func (r *Renderer) parse(part string) (doc ast.Node, source []byte) {
	source = []byte(part)
	doc = theParser().Parse(text.NewReader(source))
	if list, ok := doc.FirstChild().(*ast.List); ok && r.number > 0 {
		list.Start = r.number
	}
	return doc, source
}

// add appends rows, after a blank one unless they continue the previous block.
func (r *Renderer) add(rows, more []string) []string {
	if r.gap && len(more) > 0 {
		rows = append(rows, "")
	}
	return append(rows, more...)
}

// window returns how many bytes of the text can be parsed: whole lines, up to the one that exceeds maxOpen, or the
// start of a line that is too long.
func (r *Renderer) window() int {
	if len(r.tail) < maxOpen {
		return strings.LastIndexByte(r.tail, '\n') + 1
	}
	if end := strings.IndexByte(r.tail[maxOpen-1:min(len(r.tail), 2*maxOpen)], '\n'); end >= 0 {
		return maxOpen + end
	}
	if len(r.tail) < 2*maxOpen { // the line may still end
		return strings.LastIndexByte(r.tail[:maxOpen], '\n') + 1
	}
	if space := strings.LastIndexByte(r.tail[:maxOpen], ' '); space > maxOpen/2 {
		return space + 1
	}
	at := maxOpen
	for at > maxOpen-utf8.UTFMax && !utf8.RuneStart(r.tail[at]) {
		at--
	}
	return at
}

// cut returns where to end a part of a block that is too long: before the last line with text, which may end the block.
func (r *Renderer) cut(source []byte) int {
	at := bytes.LastIndexByte(bytes.TrimRight(source, " \n"), '\n') + 1
	if at <= r.head || source[len(source)-1] != '\n' {
		return len(source)
	}
	return at
}

// lineStart returns the start of the line in which a block begins. A table begins with the paragraph above it, because
// marks right below a paragraph can be text.
func lineStart(source []byte, block ast.Node) int {
	if block == nil {
		return 0
	}
	return bytes.LastIndexByte(source[:max(0, block.Pos())], '\n') + 1
}
