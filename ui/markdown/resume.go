package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// maxHead is the maximum number of bytes that are repeated at the beginning of a part.
const maxHead = 800

var quoteMark = sanitize.Pattern(`^ {0,3}> ?`)

// resume returns how the text goes on after source, which ends within a block: before the line next, or within a long
// line if next is empty. The part that follows repeats the marks of the lists and quotations that it continues, and the
// fence of code or the head of a table, so that it is drawn like the rest of the block.
func resume(doc ast.Node, source []byte, next string) part {
	p := part{at: len(source)}
	if list, ok := doc.LastChild().(*ast.List); ok {
		p.number = list.Start
	}
	inLine := !bytes.HasSuffix(source, []byte("\n"))
	var marks, indent string // before the first line of the part, and before its other lines
	for n := doc.LastChild(); n != nil; n = n.LastChild() {
		mark, own := "", ""
		switch n := n.(type) {
		case *ast.List:
			continue
		case *ast.Blockquote:
			if own = "> "; next != "" {
				own = quoteMark().FindString(next[len(indent):])
			}
			mark = own
		case *ast.ListItem:
			if own = strings.Repeat(" ", n.Offset); next == "" || strings.HasPrefix(next[len(indent):], own) {
				mark = itemMark(n, source)
			}
		case *details:
			if !n.isClosed {
				marks += "<details>\n" + indent
				continue
			}
		default:
			if head := opening(n, source, indent); head != "" {
				if p.head = marks + head; inLine {
					p.head += indent
				}
				return p
			}
		}
		if mark == "" {
			break
		}
		marks, indent = marks+mark, indent+own
	}
	if next != "" || inLine {
		p.head = marks
	}
	if next != "" {
		p.at += len(indent)
		p.gap = len(bytes.Trim(source[lastLine(source):], " >\n")) == 0
	}
	return p
}

// itemMark returns the mark of an item, as wide as the indentation of its text.
func itemMark(item *ast.ListItem, source []byte) string {
	rest := source[item.Pos():]
	mark := string(rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))+1])
	after := min(4, max(1, item.Offset-len(mark)))
	return strings.Repeat(" ", max(0, item.Offset-len(mark)-after)) + mark + strings.Repeat(" ", after)
}

// opening returns the first lines of a block that each part of it needs, or "" if there are none or the block has
// ended. The second line begins with indent.
func opening(n ast.Node, source []byte, indent string) string {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		first, _, _ := strings.Cut(string(source[n.Pos():]), "\n")
		end := n.Pos() + len(first)
		if lines := n.Lines(); lines.Len() > 0 {
			end = lines.At(lines.Len() - 1).Stop
		}
		if len(bytes.TrimSpace(source[end:])) > 0 { // the fence that closes it
			return ""
		}
		before := n.Pos() - bytes.LastIndexByte(source[:n.Pos()], '\n') - 1
		fence := first[:len(first)-len(strings.TrimLeft(first, first[:1]))]
		fence = strings.Repeat(" ", min(3, max(0, before-len(indent)))) + fence
		return fence + sanitize.Cut(string(n.Language(source)), 40) + "\n"
	case *east.Table:
		if len(bytes.Trim(source[lastLine(source):], " >\n")) == 0 {
			return ""
		}
		first, rest, _ := strings.Cut(string(source[n.FirstChild().Pos():]), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		return strings.TrimLeft(first, " ") + "\n" + indent + strings.TrimLeft(second, " >") + "\n"
	}
	return ""
}

// lastLine returns the start of the last line of a text.
func lastLine(source []byte) int {
	return bytes.LastIndexByte(bytes.TrimSuffix(source, []byte("\n")), '\n') + 1
}
