package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
	"github.com/aloudchat/aloud/ui/screen"
)

// statsPage tells how turns went. All conversations are read for it, so it opens empty.
type statsPage struct {
	page
	stats *session.Stats // nil: they are being counted
	err   error          // what could not be counted
	drawn look.Memo[callRows, []string]
}

// statsMsg brings what a page shows.
type statsMsg struct {
	page  *statsPage
	stats session.Stats
	err   error
}

// showStats is /stats.
func showStats(m *model, _ string) tea.Cmd {
	count := m.options.Stats
	if count == nil {
		return reply(screen.Flash{Text: "No sessions are kept, so there is nothing to count"})
	}
	p := &statsPage{}
	p.title = "How turns went"
	p.draw = func(width int, st *look.Look) []string {
		return p.drawn.Of(callRows{width, *st}, func() []string { return p.rows(width, st) })
	}
	m.dialogs.open(p)
	return func() tea.Msg {
		stats, err := count()
		return statsMsg{p, stats, err}
	}
}

func (p *statsPage) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if msg, ok := msg.(statsMsg); ok && msg.page == p {
		p.stats, p.err, p.drawn = &msg.stats, msg.err, look.Memo[callRows, []string]{}
		return false, nil
	}
	return p.page.update(msg)
}

func (p *statsPage) rows(width int, st *look.Look) []string {
	if p.stats == nil {
		return prose(nil, "Counting…", width, st, st.Dim.Render)
	}
	var out []string
	if p.err != nil {
		out = append(prose(out, sentence(p.err), width, st, st.Warn.Render), "")
	}
	for _, row := range markdown.Wrap(p.stats.Text(), max(1, width-2), st.Method) {
		out = append(out, "  "+row)
	}
	return out
}
