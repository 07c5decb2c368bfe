package ui

import (
	"fmt"
	"slices"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// details is all that is known of one server.
func (p *serverPanel) details(s status.Server, width, height int, st *look.Look) []string {
	rows := p.describe(s, width, st)
	body, more := p.Window(rows, max(1, height-3))
	out := append([]string{titleRow(s.Name, width, st)}, body...)
	hint := "esc back"
	if p.keeper != nil {
		hint += " · r restart · space on/off"
		if s.State == status.ServerNeedsLogin {
			hint = "l log in · " + hint
		}
	}
	if more != "" {
		hint = "↑↓ " + more + " · " + hint
	}
	return withHint(out, hint, width, height, st)
}

func (p *serverPanel) describe(s status.Server, width int, st *look.Look) []string {
	now := time.Now()
	words := p.words(s, now, true)
	switch s.State {
	case status.ServerReady:
		words = dotted([]string{words, timeOfDay("since ", s.Since, now)})
	case status.ServerReconnecting:
		word := "lost at "
		if s.Tools == 0 { // most likely it was never there: the board does not tell, and "tried" is true in any case
			word = "tried since "
		}
		words = dotted([]string{words, timeOfDay(word, s.Since, now)})
	}
	out := []string{st.Clip("  "+serverMark(s.State, st)+" "+words, max(1, width))}
	out = prose(out, s.Detail, width, st, st.Text.Render)
	out = prose(out, p.nextStep(s), width, st, st.Text.Render)
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		out = append(out, "", "  "+st.Heading.Render(title))
		for _, line := range lines {
			out = prose(out, line, width, st, st.Dim.Render)
		}
	}
	section("What it wrote last", p.wrote(s))
	section("What it told for its log", s.Told)
	from := toolsFrom{callRows{width, *st}, s.Name, &p.board()[0]}
	return append(out, p.drawn.Of(from, func() []string { return p.toolRows(s.Name, width, st) })...)
}

// toolsFrom is what the rows of a server's tools are drawn from. The board is another slice whenever something has changed on it.
type toolsFrom struct {
	callRows
	server string
	board  *status.Server
}

// wrote is the newest that is known of what a server wrote.
func (p *serverPanel) wrote(s status.Server) []string {
	if p.keeper != nil && s.State == status.ServerReady {
		return p.keeper.LastWords(s.Name)
	}
	return s.Stderr
}

// mostTools is how many tools of a server are described: who looks for one of thousands does so in /tools.
const mostTools = 100

// toolRows are the tools of a server.
func (p *serverPanel) toolRows(name string, width int, st *look.Look) []string {
	if p.tools == nil {
		return nil
	}
	var pairs [][2]string
	more := 0
	tools, on := p.tools.AllTools()
	for i, t := range tools {
		switch {
		case t.Server != name:
			continue
		case len(pairs) == mostTools:
			more++
			continue
		}
		title := status.Title(t.Title, t.ServerTool)
		if !on[i] {
			title += " (off)"
		}
		pairs = append(pairs, [2]string{title, sanitize.Line(sanitize.Cut(t.Description, 1000))})
	}
	if len(pairs) == 0 {
		return nil
	}
	out := slices.Concat([]string{"", "  " + st.Heading.Render("Tools")}, columns(pairs, width, st))
	if more > 0 {
		out = prose(out, fmt.Sprintf("and %s more: /tools lists all", look.Thousands(more)), width, st, st.Dim.Render)
	}
	return out
}
