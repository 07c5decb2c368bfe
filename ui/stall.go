package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// stall is a reply that has fallen silent, and the offer to ask for it anew. It stands in the place of the status line, so that nothing moves
// when it comes and goes.
//
// Its keys are letters, and a letter may begin the next question. So a letter goes to the draft like any other, and is an answer with enter.
type stall struct {
	again    func()          // asks for the reply anew; nil: there is no offer
	since    time.Time       // of the last output
	state    status.State    // when the reply fell silent
	key      string          // the answer that stands in the draft, or ""
	language status.Language // of the offer
}

// follow takes an event: a stall begins, or one is over because the turn goes on.
func (s *stall) follow(ev provider.Event, now status.State) {
	switch ev := ev.(type) {
	case provider.Stalled:
		s.again, s.state, s.since = ev.Again, now, now.Heard
		if s.since.IsZero() {
			s.since = time.Now().Add(-ev.Silence)
		}
	case provider.Status: // one that counts on says nothing new
		if ev.State.Phase != s.state.Phase || !ev.State.Heard.Equal(s.state.Heard) {
			s.end()
		}
	default:
		s.end()
	}
}

// end takes the offer away.
func (s *stall) end() { s.again, s.key = nil, "" }

// typed looks at a key that went to the draft.
func (s *stall) typed(k tea.KeyPressMsg, draft string) {
	s.key = ""
	if s.again != nil && k.Text == draft && (draft == "w" || draft == "r") {
		s.key = draft
	}
}

// offered tells whether the offer can be taken with this draft.
func (s *stall) offered(draft string) bool { return s.again != nil && draft == s.key }

// answer does what the key in the draft stands for and tells whether there was one.
func (s *stall) answer(draft string) bool {
	if !s.offered(draft) || s.key == "" {
		return false
	}
	key, again := s.key, s.again
	s.end()
	if key == "r" {
		again()
	}
	return true
}

// next is when the offer reads differently if nothing happens; zero: never.
func (s *stall) next(now time.Time, m motion) time.Time {
	if !m.runs || s.key != "" {
		return time.Time{}
	}
	return now.Add(time.Second - now.Sub(s.since)%time.Second)
}

// view draws the offer in as many words as fit.
func (s *stall) view(now time.Time, width int, m motion, st *look.Look) string {
	row := ""
	for _, form := range s.forms(now, m, st) {
		row = st.Warn.Render("●") + " " + strings.Join(form, st.Faint.Render(" · "))
		if st.Method.StringWidth(row) <= width {
			break
		}
	}
	return st.Clip(row, max(0, width))
}

// forms are the ways to say it, from long to short.
func (s *stall) forms(now time.Time, m motion, st *look.Look) [][]string {
	w := s.language.Stall()
	switch s.key {
	case "w":
		return s.sure(w.Wait, w.Write, st)
	case "r":
		return s.sure(w.Again, w.Write, st)
	}
	long, short := s.language.SilentSince(s.since), s.since.Format(time.TimeOnly)
	if m.runs {
		silent := now.Sub(s.since)
		long, short = s.language.Silent(silent), status.Duration(silent)
	}
	return [][]string{
		append([]string{long}, lit(st, "w "+w.Wait, "r "+w.Again, "esc "+w.Stop)...),
		append([]string{short}, lit(st, "w "+w.Wait, "r "+w.Again, "esc "+w.Stop)...),
		append([]string{short}, lit(st, "w "+w.Wait, "r "+w.AgainShort, "esc")...),
	}
}

// sure says what enter does now, and what any other key does.
func (s *stall) sure(does, write string, st *look.Look) [][]string {
	enter := lit(st, "enter "+does)
	return [][]string{append(enter, write), enter}
}
