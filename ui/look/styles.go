package look

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/theme"
	"github.com/aloudchat/aloud/ui/markdown"
)

// Styles are the colours of the screen, made once for a theme. Plain text keeps the terminal's own colour, so that only
// text with a meaning is coloured. The greys of the built-in themes are nearly neutral: a terminal with 256 colours has
// no others.
type Styles struct {
	Text    Style // ordinary text
	Strong  Style // the important word in a line
	Dim     Style // thinking, receipts, hints
	Quote   Style // the model's sentence in the status row
	Faint   Style // rules, borders, missing values
	Accent  Style // active or chosen text
	User    Style // what you said
	OK      Style
	Warn    Style
	Err     Style
	Heading Style
	Key     Style // a key to press
	Chosen  Style // the row under the cursor of a list

	// Backgrounds of whole rows, for Fill. They have no effect without colours.
	Question Style // your message
	Code     Style // a block of code
	Added    Style // an added line of a change
	Removed  Style // a removed line

	markdown markdown.Style
}

// paint makes the styles.
func (l *Look) paint() {
	switch {
	case l.Mono:
		l.Styles = MonoStyles()
	case l.Theme != nil:
		l.Styles = stylesOf(*l.Theme)
	default:
		l.Styles = NewStyles(l.Dark)
	}
}

// NewStyles makes the styles of the theme for a dark or a light background.
func NewStyles(dark bool) *Styles {
	name := "light"
	if dark {
		name = "dark"
	}
	t, _ := theme.Named(name)
	return stylesOf(t)
}

func stylesOf(t theme.Theme) *Styles {
	plain := lipgloss.NewStyle()
	of := func(c theme.Color) Style { return newStyle(plain.Foreground(lipgloss.Color(string(c)))) }
	on := func(c theme.Color) Style { return newStyle(plain.Background(lipgloss.Color(string(c)))) }
	bold := func(s Style) Style { return newStyle(s.Bold(true)) }
	accent, dim := of(t.Accent), of(t.Dim)
	return &Styles{
		Text:    newStyle(plain),
		Strong:  newStyle(plain.Bold(true)),
		Dim:     dim,
		Quote:   newStyle(dim.Italic(true)),
		Faint:   of(t.Faint),
		Accent:  accent,
		User:    bold(of(t.User)),
		OK:      of(t.OK),
		Warn:    of(t.Warn),
		Err:     of(t.Error),
		Heading: bold(accent),
		Key:     newStyle(plain.Bold(true)),
		Chosen:  bold(accent),

		Question: on(t.Background.Question),
		Code:     on(t.Background.Code),
		Added:    on(t.Background.Added),
		Removed:  on(t.Background.Removed),

		markdown: markdown.Style{
			Heading: string(t.Accent), Code: string(t.Code), Link: string(t.User), Quote: string(t.Dim),
			Mark: string(t.Accent), Rule: string(t.Faint), Keyword: string(t.Keyword), Type: string(t.Accent),
			Function: string(t.User), String: string(t.String), Number: string(t.Warn), Comment: string(t.Comment),
			Added: string(t.OK), Removed: string(t.Error),
		},
	}
}

// Markdown returns the style of Markdown.
func (l *Look) Markdown() markdown.Style {
	style := l.Styles.markdown
	style.HideAddresses = l.Links
	if l.Code.on != "" {
		style.Ground = func(row string, width int) string { return l.Code.Fill(row, width, l.Method) }
	}
	return style
}

// MonoStyles makes the styles without colours, for NO_COLOR and terminals that have none.
func MonoStyles() *Styles {
	terminal := lipgloss.NewStyle()
	plain, bold, faint := newStyle(terminal), newStyle(terminal.Bold(true)), newStyle(terminal.Faint(true))
	return &Styles{
		Text: plain, Strong: bold, Dim: faint, Faint: faint, Accent: bold, User: bold, OK: plain, Warn: bold, Err: bold,
		Heading: bold, Key: bold, Chosen: bold, Quote: newStyle(terminal.Faint(true).Italic(true)),
		Question: plain, Code: plain, Added: plain, Removed: plain,
	}
}

// Style renders text in colours. It renders them once, because lipgloss takes longer for a word than a frame for a row.
type Style struct {
	lipgloss.Style
	on, off string
}

func newStyle(s lipgloss.Style) Style {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return Style{s, on, off}
}

// Render returns one line of text in the style.
func (s Style) Render(text ...string) string {
	line := strings.Join(text, " ")
	switch {
	case line == "":
		return ""
	case strings.ContainsAny(line, "\t\n"):
		return s.Style.Render(line)
	}
	return s.on + line + s.off
}

// Fill draws a row on the background of the style, over width cells. Colours inside the row keep it. Without a
// background the row stays as it is.
func (s Style) Fill(row string, width int, method ansi.Method) string {
	if s.on == "" {
		return row
	}
	const reset = "\x1b[m"
	gap := strings.Repeat(" ", max(0, width-method.StringWidth(row)))
	return s.on + strings.ReplaceAll(row, reset, reset+s.on) + gap + s.off
}
