package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// closeMarks returns source with an end for each mark that is open in its last block, such as **, ` or [, so that the
// rest of a text that is still being written does not change what is on the screen. Marks at the very end are left out,
// because what follows decides what they are.
//
// The parser has matched all other marks, so those that are still in the text are open.
func closeMarks(doc ast.Node, source []byte) string {
	block := doc
	for last := block.LastChild(); last != nil && last.Type() == ast.TypeBlock; last = block.LastChild() {
		block = last
	}
	for block.Kind() == east.KindTableCell && block.Lines().Len() == 0 && block.PreviousSibling() != nil {
		block = block.PreviousSibling() // the cells to come are empty
	}
	newlines := 0 // that may follow the text without ending it
	switch block.(type) {
	case *ast.Paragraph, *ast.TextBlock, *summary:
		newlines = 1
	case *ast.Heading, *east.TableCell:
	default:
		return string(source)
	}
	lines := block.Lines()
	if lines.Len() == 0 {
		return string(source)
	}
	end := lines.At(lines.Len() - 1).Stop
	rest := source[end:]
	if len(bytes.TrimSpace(rest)) > 0 || bytes.Count(rest, []byte("\n")) > newlines {
		return string(source)
	}
	o := opened{source: bytes.TrimRight(source[:end], " \n")}
	o.dropLast(block)
	for n := block.FirstChild(); n != nil && !o.isDone; n = n.NextSibling() {
		o.node(n)
	}
	if len(o.ends) == 0 && len(o.source) == len(bytes.TrimRight(source, " \n")) {
		return string(source)
	}
	slices.Reverse(o.ends)
	return string(bytes.TrimRight(o.source, " \n")) + strings.Join(o.ends, "")
}

// opened finds the open marks of a block.
type opened struct {
	source []byte
	ends   []string // of the open marks, the inner ones last
	isDone bool     // the rest is within code or an address
}

// linkEnd ends a link whose text is open.
const linkEnd = "]()"

// dropLast removes the mark at the end of the block.
func (o *opened) dropLast(block ast.Node) {
	last, ok := block.LastChild().(*ast.Text)
	if !ok {
		return
	}
	for { // a bracket has its own node
		before, ok := last.PreviousSibling().(*ast.Text)
		if !ok || before.Segment.Stop != last.Segment.Start {
			break
		}
		last = before
	}
	start := min(last.Segment.Start, len(o.source))
	text := string(o.source[start:])
	cut := strings.TrimRight(strings.TrimSuffix(text, "[^"), "*_~`[")
	if i := strings.LastIndexByte(cut, '<'); i >= 0 && isTagStart(cut[i:]) {
		cut = cut[:i]
	}
	isEscape := (len(cut)-len(strings.TrimRight(cut, `\`)))%2 == 1
	switch {
	case !isEscape:
		o.source = o.source[:start+len(cut)]
	case cut == text: // it could escape what follows
		o.source = o.source[:start+len(cut)-1]
	}
	start = min(block.Lines().At(0).Start, len(o.source))
	whole := string(o.source[start:])
	isBox := len(whole) <= 3 && strings.HasPrefix(whole, "[")
	isAlert := slices.ContainsFunc(alertKinds[:], func(a alert) bool {
		return whole != "" && strings.HasPrefix(a.mark, strings.ToUpper(whole))
	})
	if isBox || isAlert { // or could become one
		o.source = o.source[:start]
	}
}

func (o *opened) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.RawHTML:
		name := tag(n, o.source)
		if end := closingTag(name); end != "" && len(o.ends) < maxTags {
			o.ends = append(o.ends, end)
		} else if i := slices.Index(o.ends, name); i >= 0 {
			o.ends = slices.Delete(o.ends, i, i+1)
		}
	case *ast.Link:
		o.dropLink()
	case *ast.String:
		o.isDone = string(n.Value) == `\(` || string(n.Value) == `\[`
	case *ast.Text:
		stop := min(n.Segment.Stop, len(o.source))
		for at := n.Segment.Start; at < stop && !o.isDone && len(o.ends) < maxLinks; {
			at += o.mark(at, stop)
		}
	}
}

// mark handles the mark or the character at a position of the text that ends at stop, and returns its length.
func (o *opened) mark(at, stop int) int {
	rest := o.source[at:]
	c := rest[0]
	length := stop - at - len(bytes.TrimLeft(o.source[at:stop], string(rest[:1])))
	switch c {
	case '\\':
		return 2
	case '`':
		o.ends, o.isDone = append(o.ends, string(rest[:length])), true
		return length
	case '*', '_', '~':
		if o.opens(at, length) {
			o.ends = append(o.ends, string(rest[:length]))
		}
		return length
	case '[':
		end := linkEnd
		if len(rest) > 1 && rest[1] == '^' { // a footnote
			end = "]"
		} else if at == 0 || o.source[at-1] != '!' {
			o.dropLink()
		}
		o.ends = append(o.ends, end)
	case ']':
		o.bracket(string(rest[1:]))
	}
	return 1
}

// dropLink makes an open bracket text, because a link cannot contain another.
func (o *opened) dropLink() {
	o.ends = slices.DeleteFunc(o.ends, func(end string) bool { return end == linkEnd })
}

// opens reports whether a run of marks can begin emphasis. A single one within a word can, too, but is more often a
// multiplication.
func (o *opened) opens(at, length int) bool {
	before, _ := utf8.DecodeLastRune(o.source[:at])
	after, _ := utf8.DecodeRune(o.source[at+length:])
	isWord := unicode.IsLetter(before) || unicode.IsDigit(before)
	isMark := unicode.IsPunct(after) || unicode.IsSymbol(after)
	switch {
	case at+length == len(o.source), unicode.IsSpace(after), isWord && isMark && !needsNoSpace(before):
		return false
	case o.source[at] == '~':
		return length == 2 || after == '~'
	case o.source[at] == '_':
		return !isWord
	}
	return length > 1 || !isWord || before >= utf8.RuneSelf
}

// bracket handles a closing bracket before rest.
func (o *opened) bracket(rest string) {
	i := len(o.ends) - 1
	for i >= 0 && o.ends[i] != linkEnd && o.ends[i] != "]" {
		i--
	}
	switch {
	case i < 0:
	case rest == "" && o.ends[i] == linkEnd: // an address could follow
		o.ends = append(o.ends[:i], "()")
	case strings.HasPrefix(rest, "("):
		if end := addressEnd(rest[1:]); end != "" {
			o.ends, o.isDone = append(o.ends[:i], end), true
			return
		}
		fallthrough
	default:
		o.ends = slices.Delete(o.ends, i, i+1)
	}
}

// addressEnd returns what ends the address and the title of a link, or "" if rest is none.
func addressEnd(rest string) string {
	space := " "
	if strings.HasPrefix(rest, "<") {
		space = ">"
	}
	_, title, found := strings.Cut(strings.TrimLeft(rest, " "), space)
	title = strings.TrimLeft(title, " ")
	end := strings.Repeat(")", max(0, 1+strings.Count(rest, "(")-strings.Count(rest, ")")))
	switch {
	case !found && space == ">":
		return ">" + end
	case title == "", title[0] == '(':
		return end
	case title[0] != '"' && title[0] != '\'':
		return ""
	case strings.Count(title, title[:1]) == 1:
		return title[:1] + end
	}
	return end
}

// isTagStart reports whether text could become a tag that is not shown.
func isTagStart(text string) bool {
	name, found := strings.CutPrefix(text, "<")
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	names := []string{"br /", "br/", "kbd", "sub", "sup", "details open", "summary"}
	return found && slices.ContainsFunc(names, func(tag string) bool { return strings.HasPrefix(tag, name) })
}
