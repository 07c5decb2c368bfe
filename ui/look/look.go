// Package look has what all parts of the screen use: styles, how the terminal measures text, what is folded, and
// helpers that draw and shorten rows.
package look

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Look has everything that rows depend on except their text and width. Rows drawn for an equal Look are valid.
type Look struct {
	*Styles
	Method     ansi.Method // how the terminal measures text
	Dark       bool
	Mono       bool   // the terminal shows no colours
	Details    bool   // thinking, tool calls and long messages are unfolded
	DetailsKey string // unfolds them; "" for no key
	Whole      bool   // results are shown in full
}

// New returns the look before the terminal has reported anything.
func New() Look { return Look{Styles: NewStyles(true), Dark: true, Method: ansi.WcWidth} }

// Follow handles the terminal's reports, and reports whether the look has changed.
func (l *Look) Follow(msg tea.Msg) (changed bool) {
	before := *l
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Mono = msg.Profile <= colorprofile.ASCII
	case tea.ModeReportMsg:
		v := msg.Value
		if msg.Mode == ansi.ModeUnicodeCore && (v.IsSet() || v.IsReset() || v.IsPermanentlySet()) {
			l.Method = ansi.GraphemeWidth // the terminal measures joined characters as one
		}
	}
	if *l == before {
		return false
	}
	if l.Styles = NewStyles(l.Dark); l.Mono {
		l.Styles = MonoStyles()
	}
	return true
}

// Memo caches a drawing until its source changes.
type Memo[From comparable, Drawn any] struct {
	from  From
	drawn Drawn
	kept  bool
}

// Of returns the cached drawing, or draws if from has changed.
func (m *Memo[From, Drawn]) Of(from From, draw func() Drawn) Drawn {
	if !m.kept || m.from != from {
		m.from, m.drawn, m.kept = from, draw(), true
	}
	return m.drawn
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
	if line == "" || strings.ContainsAny(line, "\t\n") {
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

// Styles are the colours of the screen, made once for a dark or a light background. Plain text keeps the terminal's own
// colour, so that only text with a meaning is coloured. The greys are nearly neutral: a terminal with 256 colours has
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
}

// NewStyles makes the styles for a dark or a light background.
func NewStyles(dark bool) *Styles {
	pick := lipgloss.LightDark(dark)
	plain := lipgloss.NewStyle()
	of := func(light, dark string) Style {
		return newStyle(plain.Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark))))
	}
	bold := func(s lipgloss.Style) Style { return newStyle(s.Bold(true)) }
	on := func(light, dark string) Style {
		return newStyle(plain.Background(pick(lipgloss.Color(light), lipgloss.Color(dark))))
	}
	accent, dim := of("#0b6e75", "#7fd1d8"), of("#6b6e70", "#8e9297")
	return &Styles{
		Text:    newStyle(plain),
		Strong:  bold(plain),
		Dim:     dim,
		Quote:   newStyle(dim.Italic(true)),
		Faint:   of("#b4b8be", "#50555e"),
		Accent:  accent,
		User:    bold(of("#1f4fa3", "#8fb8f5").Style),
		OK:      of("#2c7a3f", "#8cc98f"),
		Warn:    of("#8a5a00", "#e6c85c"),
		Err:     of("#b3261e", "#ee8580"),
		Heading: bold(accent.Style),
		Key:     bold(plain),
		Chosen:  bold(accent.Style),

		Question: on("#ebecee", "#303134"),
		Code:     on("#f3f4f5", "#222429"),
		Added:    on("#dff3e3", "#16321f"),
		Removed:  on("#fbe3e1", "#3d1d1d"),
	}
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
