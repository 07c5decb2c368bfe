package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// NewHelp shows commands and keys, each with what it does.
func NewHelp(commands, keys [][2]string) Dialog {
	return newText("Help", func(width int, st *look.Look) []string {
		out := append([]string{"", "  " + st.Heading.Render("Commands")}, st.Columns(commands, width)...)
		out = append(append(out, "", "  "+st.Heading.Render("Keys")), st.Columns(keys, width)...)
		note := "To select with the mouse hold shift (option on a Mac) while dragging, or press ctrl+t first."
		return st.Prose(append(out, ""), note, width, st.Dim.Render)
	})
}

// stats says how turns went. All conversations are read for it, so it opens empty.
type stats struct {
	*page
	counted *statsMsg // nil: not yet
}

type statsMsg struct {
	page  *stats
	stats session.Stats
	err   error
}

// NewStats says how turns went; the command counts.
func NewStats(count func() (session.Stats, error)) (Dialog, tea.Cmd) {
	s := &stats{}
	s.page = newText("How turns went", s.lines)
	return s, func() tea.Msg {
		counted, err := count()
		return statsMsg{s, counted, err}
	}
}

func (s *stats) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if msg, ok := msg.(statsMsg); ok && msg.page == s {
		s.counted, s.drawn = &msg, look.Memo[canvas, []string]{}
		return false, nil
	}
	return s.page.Update(msg)
}

func (s *stats) lines(width int, st *look.Look) []string {
	if s.counted == nil {
		return st.Prose(nil, "Counting…", width, st.Dim.Render)
	}
	var out []string
	if s.counted.err != nil {
		out = append(st.Prose(out, Sentence(s.counted.err), width, st.Warn.Render), "")
	}
	for _, row := range markdown.Wrap(s.counted.stats.Text(), max(1, width-2), st.Method) {
		out = append(out, "  "+row)
	}
	return out
}
