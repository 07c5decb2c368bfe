package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// spinTime is how long each picture of the spinner is shown.
const spinTime = time.Second / 4

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// still replaces a spinner that does not turn.
const still = "◌"

// statusBar is the row that shows what aloud is doing. It is drawn when its text or a clock changes. In between only
// the spinner turns. Numbers that change all the time are updated with the clocks.
type statusBar struct {
	newest  status.State
	steps   status.Debouncer // chooses the states to draw
	state   status.State     // the one that is drawn
	running bool             // a turn runs
	motion  motion
	width   int
	thought bool // the model's thinking is unfolded above
	ruler   ruler

	line    line      // the text with the clocks
	drawn   time.Time // when the line was drawn
	until   time.Time // when a clock in the line changes next; zero means never
	stale   time.Time // when the line must be drawn again for a changed state; zero if it has not changed
	picture int       // of the spinner
	spun    time.Time // when the spinner turned
}

// line is the text of the row, with the model's sentence apart.
type line struct{ before, quote, after string }

// start begins a turn.
func (s *statusBar) start() {
	*s = statusBar{running: true, motion: s.motion, width: s.width, thought: s.thought}
}

// set takes a new state, if there is one.
func (s *statusBar) set(to *status.State) {
	if to != nil {
		now := time.Now()
		if to.Tape != s.newest.Tape {
			s.ruler.follow(*to, s.motion, now)
		}
		s.newest = *to
		s.steps.Set(*to, now)
		s.show(s.steps.At(now), now)
	}
}

// show shows a state: another step at once, other text soon, and other numbers when a clock changes.
func (s *statusBar) show(state status.State, now time.Time) {
	old := s.state
	s.state = state
	switch {
	case state == old:
	case state.Phase != old.Phase || !state.Since.Equal(old.Since) || state.Paused != old.Paused,
		old.SilentBy(now) && !state.SilentBy(now):
		s.stale = now
	case !sameWords(state, old) || !s.motion.runs:
		s.stale = earliest(s.stale, s.drawn.Add(frame))
	default:
		s.stale = earliest(s.stale, s.drawn.Add(time.Second))
	}
}

// sameWords reports whether two states of a step differ only in numbers that change all the time.
func sameWords(a, b status.State) bool {
	a.Worked, a.At, a.Ends, a.Tokens, a.Heard, a.Part = b.Worked, b.At, b.Ends, b.Tokens, b.Heard, b.Part
	a.Turn, a.Tape = b.Turn, b.Tape
	return a == b
}

// move sets the animation and the width of the row, and whether the model's thinking is unfolded above.
func (s *statusBar) move(m motion, width int, thought bool, now time.Time) {
	if s.motion != m || s.width != width || s.thought != thought {
		s.motion, s.width, s.thought, s.stale = m, width, thought, now
	}
}

// end clears the row. The transcript and the tape show the end of the turn.
func (s *statusBar) end(why event.Reason) {
	s.ruler.end(s.newest, why, time.Now())
	s.running, s.stale, s.state, s.steps = false, time.Now(), status.State{}, status.Debouncer{}
}

// tick draws the changes up to now. It is called for every message, so that a frame for new text also turns the
// spinner.
func (s *statusBar) tick(now time.Time) {
	s.show(s.steps.At(now), now)
	switch {
	case passed(s.stale, now), s.running && passed(s.until, now):
		s.draw(now)
	case s.spins() && now.Sub(s.spun) >= spinTime*2/3:
		s.turn(now)
	}
}

func passed(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }

// next returns when the row changes by itself; zero means never.
func (s *statusBar) next() time.Time {
	next := earliest(s.stale, s.steps.Due())
	if s.running {
		next = earliest(next, s.until)
	}
	if s.spins() {
		next = earliest(next, s.spun.Add(spinTime))
	}
	return next
}

func (s *statusBar) draw(now time.Time) {
	const mark = 2 // the spinner and a space
	d := status.Drawing{Width: s.width - mark, Still: !s.motion.runs}
	if s.running && s.state.Phase != status.Approval {
		d.Hint = status.Stops("esc")
	}
	state := s.state
	if state.From == status.Written || state.From == status.Thought && s.thought {
		state.Quote = "" // it stands above
	}
	s.line.before, s.line.quote, s.line.after = state.Parts(now, d)
	s.drawn, s.stale, s.until = now, time.Time{}, time.Time{}
	if steady := s.state.Steady(now, d.Still); steady > 0 {
		s.until = now.Add(steady)
	}
	if s.spins() { // in step with the clocks, so that all need only one frame
		s.ruler.follow(s.newest, s.motion, now)
		s.turn(now)
	}
}

func (s *statusBar) turn(now time.Time) {
	s.picture, s.spun = (s.picture+1)%len(spinner), now
	s.ruler.move(s.newest, s.motion, now)
}

// spins reports whether there is a spinner that turns.
func (s *statusBar) spins() bool {
	return s.running && s.motion.spins && s.line != (line{}) &&
		s.state.Phase != status.Approval && s.state.Phase != status.Stopped
}

// view draws the row.
func (s *statusBar) view(st *look.Look) string {
	if s.line == (line{}) {
		return ""
	}
	mark, tone := " ", st.Dim
	switch {
	case s.state.Phase == status.Stopped:
		mark, tone = st.Warn.Render("■"), st.Warn
	case s.state.Phase == status.Approval:
		mark, tone = st.Warn.Render("●"), st.Warn
	case s.spins():
		mark = st.Accent.Render(spinner[s.picture])
	case s.running:
		mark = st.Accent.Render(still)
	}
	return mark + " " + tone.Render(s.line.before) + st.Quote.Render(s.line.quote) + tone.Render(s.line.after)
}

// frame is the minimum time between two drawings of text that changes quickly.
const frame = 100 * time.Millisecond

// motion is the animation of the status row.
type motion struct {
	spins bool // a spinner turns; otherwise there is a mark in its place
	runs  bool // clocks run; otherwise the row shows the time of day at which the step began
}

// motionOf returns the animation for a setting. There is none while the terminal does not have the focus.
func motionOf(wanted status.Motion, looked bool) motion {
	switch {
	case !looked || wanted == status.MotionNone:
		return motion{}
	case wanted == status.MotionReduced:
		return motion{runs: true}
	}
	return motion{spins: true, runs: true}
}

// beat updates the status row, and sets the clock to its next change, or to due, when a dialog needs a message.
func (m *model) beat(now, due time.Time) tea.Cmd {
	m.status.move(motionOf(m.options.Motion, m.attention.looked), m.width-1, m.look.Details, now)
	m.status.tick(now)
	m.scribe.Tick(m.status.newest.Elapsed(now), m.status.motion.spins)
	next := m.status.next()
	if m.regions.status == 0 {
		next = time.Time{}
	}
	if enter := m.talk.limited.Add(settling); m.talk.stopped() && enter.After(now) {
		next = earliest(next, enter) // the hint changes
	}
	return m.clock.set(now, earliest(next, due))
}

// clock is the only timer for everything that moves. It runs only while something will change.
type clock struct {
	due    time.Time // when it fires; zero means never
	strike int       // number of the valid tick
}

// tickMsg is a tick of the clock.
type tickMsg struct{ strike int }

// set makes the clock fire at a time; zero means never. An earlier tick stays, and the clock is then set again.
func (c *clock) set(now, due time.Time) tea.Cmd {
	if !c.due.IsZero() && !due.IsZero() && !due.Before(c.due) {
		return nil
	}
	c.due = due
	c.strike++
	if due.IsZero() {
		return nil
	}
	msg := tickMsg{c.strike}
	return tea.Tick(due.Sub(now), func(time.Time) tea.Msg { return msg })
}

// earliest returns the earlier of two times, where zero means never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
