package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
	"github.com/aloudchat/aloud/ui/transcript"
)

// arrange divides the screen among the parts.
func (m *model) arrange() {
	if m.width <= 0 || m.height <= 0 {
		return
	}
	m.attached, m.panel = m.attaching.rows(m.footer.fill, m.width, &m.look), nil
	want := wants{m.prompt.Height(), m.prompt.Listed(), m.talk.queue.height(), false, len(m.attached)}
	if m.dialogs.Top() != nil {
		m.panel = m.dialogs.View(look.Reading(m.width), dialogRows(m.height), &m.look)
		want = wants{len(m.panel), 0, m.talk.queue.height(), true, 0}
	}
	m.regions = arrange(m.width, m.height, want)
	m.transcript.Resize(m.width, m.regions.transcript)
}

// View joins the parts. Its time does not depend on the length of the conversation.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, ReportFocus: true, WindowTitle: m.title(), MouseMode: mouseMode(m.options)}
	if m.width <= 0 || m.height <= 0 {
		return v
	}
	s := make(canvas, 0, m.height)
	body := m.transcript.View()
	if len(body) == 0 {
		body = m.welcome.view(m.models.about(), m.footer.servers, m.width, m.regions.transcript, &m.look)
	}
	s.part(m.regions.transcript, body)
	s.part(m.regions.gap, nil)
	s.part(m.regions.status, []string{m.status.view(&m.look)})
	s.part(m.regions.list, m.prompt.List(m.width, m.regions.list, &m.look))
	s.part(m.regions.queue, m.talk.queue.rows(m.width, m.regions.queue, &m.look))
	s.part(m.regions.attached, m.attached)
	if m.panel != nil {
		s.part(m.regions.input, fit(m.panel, m.width, &m.look))
	} else {
		s.part(m.regions.rule, m.status.ruler.rows(m.width, m.height, moreBelow(m.transcript, m.keys), &m.look))
		input, cursor := m.prompt.View()
		if cursor != nil {
			cursor.X, cursor.Y = min(cursor.X, m.width-1), cursor.Y+len(s)
			v.Cursor = cursor
		}
		s.part(m.regions.input, fit(input, m.width, &m.look))
	}
	footer := m.footer.view(m.width, &m.look, m.models.label(), m.models.inUse, m.hints())
	footer, v.Cursor = m.find.view(footer, v.Cursor, m.transcript, m.width, min(len(s), m.height-1), &m.look)
	s.part(m.regions.footer, fit([]string{footer}, m.width, &m.look))
	v.SetContent(strings.Join(s, "\n"))
	return v
}

// moreBelow returns the words for the rule while you have scrolled up: whether there is new text below.
func moreBelow(t *transcript.Transcript, keys keymap) string {
	end := keys.of(doBottom, " to go down")
	switch {
	case t.Following():
		return ""
	case t.Unseen():
		return look.Dotted("↓ new text", end)
	}
	return look.Dotted(cmp.Or(t.Step(), "scrolled up"), end)
}

// hints returns what the keys do now.
func (m *model) hints() hints {
	listed := m.prompt.Invitation(m.keys.of(doComplete, " completes"))
	return moment{
		dialog: m.dialogs.Top() != nil, listing: m.prompt.Listed() > 0, draft: !m.prompt.Empty(),
		forking: !m.talk.busy() && m.talk.chat.Forking(), // the turn begins the branch
		queued:  len(m.talk.queue.inputs) > 0, held: m.talk.queue.holds(), occupied: m.occupied(), busy: m.talk.busy(),
		stopped: m.talk.resumable(), continues: m.enterContinues(time.Now()), scrolled: !m.transcript.Following(),
	}.hints(m.keys, listed)
}

// fit truncates rows that are too wide: on a very small screen, or if the terminal measures text differently from the
// editor.
func fit(rows []string, width int, st *look.Look) []string {
	for i, r := range rows {
		rows[i] = markdown.Clip(r, width, "", st.Method)
	}
	return rows
}

// canvas collects the rows of a frame.
type canvas []string

// part adds exactly n rows.
func (c *canvas) part(n int, rows []string) {
	rows = rows[:min(n, len(rows))]
	*c = append(*c, rows...)
	*c = append(*c, make([]string, n-len(rows))...)
}
