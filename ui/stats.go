package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// statsPage tells how turns went. All conversations are read for it, so it opens empty.
type statsPage struct {
	page
	text string
}

// statsMsg brings the text of a page.
type statsMsg struct {
	page *statsPage
	text string
}

// showStats is /stats.
func showStats(m *model, _ string) tea.Cmd {
	count := m.options.Stats
	if count == nil {
		return reply(flashMsg{"No sessions are kept, so there is nothing to count"})
	}
	p := &statsPage{text: "Counting…"}
	p.title, p.draw = "How turns went", p.rows
	m.dialogs.open(p)
	return func() tea.Msg {
		stats, err := count()
		text := stats.Text()
		if err != nil {
			text = fmt.Sprintf("%s\n\n%s", sentence(err), text)
		}
		return statsMsg{p, text}
	}
}

func (p *statsPage) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if msg, ok := msg.(statsMsg); ok && msg.page == p {
		p.text = msg.text
		return false, nil
	}
	return p.page.update(msg)
}

// rows indents the text where there is room: it is made for eighty columns.
func (p *statsPage) rows(width int, st *look.Look) []string {
	indent := ""
	if width >= 84 {
		indent = "  "
	}
	rows := markdown.Chop(sanitize.Text(p.text), width-len(indent), st.Method)
	for i, row := range rows {
		rows[i] = indent + row
	}
	return rows
}
