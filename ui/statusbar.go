package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/aloudchat/aloud/status"
)

// frame is how long one picture of the spinner stays: ten a second.
const frame = 100 * time.Millisecond

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// tickMsg is the one clock of the screen. It runs only while its turn does: the next turn has its own.
type tickMsg struct{ turn *turn }

func tick(t *turn) tea.Cmd { return tea.Tick(frame, func(time.Time) tea.Msg { return tickMsg{t} }) }

// statusBar is the row that says what aloud is doing.
type statusBar struct {
	state   status.State
	running bool // a turn runs: the spinner turns and the clocks go on
	frame   int
	spun    time.Time // when the spinner was moved
	line    string    // the words with the clocks, drawn at most once a second
	second  int64     // the second that line shows
	width   int       // the width that line was made for
}

// start begins a turn.
func (s *statusBar) start() {
	*s = statusBar{running: true}
}

// set shows a new state.
func (s *statusBar) set(state status.State) {
	s.state, s.line = state, ""
}

// end stops the clocks. The reason why a turn was stopped stays until the next one.
func (s *statusBar) end() {
	s.running, s.line = false, ""
	if s.state.Phase != status.Stopped {
		s.state = status.State{}
	}
}

// tick moves the spinner on, if it is time, and the clocks once a second. Text that arrives ticks, too: a frame that is drawn for it takes
// the spinner along, and the clock then needs none of its own.
func (s *statusBar) tick(now time.Time) {
	if now.Sub(s.spun) > frame*2/3 {
		s.frame, s.spun = (s.frame+1)%len(spinner), now
	}
	if now.Unix() != s.second {
		s.second, s.line = now.Unix(), ""
	}
}

// view draws the row.
func (s *statusBar) view(now time.Time, width int, st *look) string {
	const mark = 2 // the spinner and a space
	if s.state.Phase == status.Idle || width <= mark {
		return ""
	}
	if s.line == "" || s.width != width {
		hint := ""
		if s.running && s.state.Phase != status.Approval {
			hint = status.English.ToStop("esc")
		}
		s.line, s.width = s.state.Line(now, status.Drawing{Width: width - mark, Hint: hint}), width
	}
	return s.mark(st) + " " + s.tone(st).Render(s.line)
}

func (s *statusBar) mark(st *look) string {
	switch {
	case s.state.Phase == status.Stopped:
		return st.styles.warn.Render("■")
	case s.state.Phase == status.Approval:
		return st.styles.warn.Render("●")
	case s.running:
		return st.styles.accent.Render(spinner[s.frame])
	}
	return " "
}

func (s *statusBar) tone(st *look) lipgloss.Style {
	if s.state.Phase == status.Stopped || s.state.Phase == status.Approval {
		return st.styles.warn
	}
	return st.styles.dim
}
