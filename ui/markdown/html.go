package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/markdown/math"
)

// enclosing are the tags that are drawn as what they mean. Others are shown as text.
const enclosing = " <kbd> <sub> <sup> "

// Limits for these tags. Those that exceed them are shown as text.
const (
	maxEnclosed = 40 // parts of the text between two
	maxTags     = 5  // in each other
)

// tag returns a tag in lower case.
func tag(n ast.Node, source []byte) string {
	if html, ok := n.(*ast.RawHTML); ok {
		return strings.ToLower(sanitize.Line(string(html.Segments.Value(source))))
	}
	return ""
}

// closingTag returns the tag that closes name, or "" if it does not enclose anything.
func closingTag(name string) string {
	if name == "" || !strings.Contains(enclosing, " "+name+" ") {
		return ""
	}
	return "</" + name[1:]
}

// enclosed writes what is between two tags, as keys or in smaller characters. It returns the closing tag, or nil if n
// is no such tag, or has none before stop.
func (in *inline) enclosed(n, stop ast.Node, p pen) ast.Node {
	name := tag(n, in.source)
	closing := closingTag(name)
	if closing == "" || in.tags == maxTags {
		return nil
	}
	end, parts := n.NextSibling(), 0
	for end != stop && parts < maxEnclosed && tag(end, in.source) != closing {
		end, parts = end.NextSibling(), parts+1
	}
	if end == stop || parts == maxEnclosed {
		return nil
	}
	if name == "<kbd>" {
		p.color = in.style.Code
	}
	inside := inline{drawing: in.drawing, tags: in.tags + 1}
	inside.siblings(n.NextSibling(), end, p)
	text, plain := inside.out.String(), ansi.Strip(inside.out.String())
	mark, set := "_", math.Lowered
	if name == "<sup>" {
		mark, set = "^", math.Raised
	}
	before, after := mark+"(", ")"
	switch small, ok := set(plain); {
	case plain == "":
		return end
	case name == "<kbd>":
		before, after = "[", "]"
	case ok:
		before, text, after = "", p.paint(small), ""
	case utf8.RuneCountInString(plain) == 1:
		before, after = mark, ""
	}
	p.write(&in.out, before)
	in.out.WriteString(text)
	p.write(&in.out, after)
	return end
}

// html writes a tag as text, except for line breaks, which models use in tables.
func (in *inline) html(n *ast.RawHTML, p pen) {
	switch strings.ReplaceAll(tag(n, in.source), " ", "") {
	case "<br>", "<br/>":
		in.out.WriteByte('\n')
	default:
		p.write(&in.out, sanitize.Line(string(n.Segments.Value(in.source))))
	}
}
