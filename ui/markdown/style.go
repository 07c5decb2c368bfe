package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style has the colours of rendered Markdown, each "#rrggbb", the number of one of the terminal's 256 colours, or ""
// for the terminal's own. The zero Style is for terminals without colours: inline code then keeps its backticks.
type Style struct {
	Heading, Code, Link string
	Quote               string // text of block quotes, and notes
	Mark                string // bullets
	Rule                string // bars and lines

	// HideAddresses leaves out the addresses of links to the web, because the terminal opens links. Their hosts are
	// shown unless the text shows them.
	HideAddresses bool

	// Ground draws a row of code on its background, over width cells. nil for no background.
	Ground func(row string, width int) string

	// Highlighted code.
	Keyword, Type, Function, String, Number, Comment, Added, Removed string
}

// pen is the style of a run of text.
type pen struct {
	color  string // as in Style
	link   string // where it leads, or ""
	bold   bool
	italic bool
	under  bool
	strike bool
}

const closeLink = "\x1b]8;;\x1b\\"

// write appends text to b. The text must be clean: it is not changed.
func (p pen) write(b *strings.Builder, text string) { b.WriteString(p.paint(text)) }

// paint returns text written with p.
func (p pen) paint(text string) string {
	if text == "" {
		return ""
	}
	var style ansi.Style
	if p.bold {
		style = style.Bold()
	}
	if p.italic {
		style = style.Italic(true)
	}
	if p.under {
		style = style.Underline(true)
	}
	if p.strike {
		style = style.Strikethrough(true)
	}
	if p.color != "" {
		style = style.ForegroundColor(lipgloss.Color(p.color))
	}
	text = style.Styled(text)
	if p.link != "" {
		text = "\x1b]8;;" + p.link + "\x1b\\" + text + closeLink
	}
	return text
}
