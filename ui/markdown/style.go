package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style has the colours of rendered Markdown, each "#rrggbb" or "" for the terminal's own. The zero Style is for
// terminals without colours: inline code then keeps its backticks.
type Style struct {
	Heading, Code, Link string
	Quote               string // text of block quotes, and notes
	Mark                string // bullets
	Rule                string // bars and lines

	// Ground draws a row of code on its background, over width cells. nil for no background.
	Ground func(row string, width int) string

	// Highlighted code.
	Keyword, Type, Function, String, Number, Comment, Added, Removed string
}

// Dark returns the style for a dark background.
func Dark() Style {
	return Style{
		Heading: "#7fd1d8", Code: "#dcc98f", Link: "#8fb8f5", Quote: "#a3a9b1", Mark: "#7fd1d8", Rule: "#50555e",
		Keyword: "#c7a0e8", Type: "#7fd1d8", Function: "#8fb8f5", String: "#9fce97", Number: "#e6c85c", Comment: "#7c828b",
		Added: "#8cc98f", Removed: "#ee8580",
	}
}

// Light returns the style for a light background.
func Light() Style {
	return Style{
		Heading: "#0b6e75", Code: "#8a4b2d", Link: "#1f4fa3", Quote: "#5d626a", Mark: "#0b6e75", Rule: "#b4b8be",
		Keyword: "#7a3ea8", Type: "#0b6e75", Function: "#1f4fa3", String: "#2c7028", Number: "#8a5a00", Comment: "#6b6e70",
		Added: "#2c7a3f", Removed: "#b3261e",
	}
}

// pen is the style of a run of text.
type pen struct {
	color  string // "#rrggbb" or ""
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
