package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// spinTime is how long one picture of the spinner stays: long enough to be cheap, short enough to see it turn.
const spinTime = time.Second / 4

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// still is the mark in the place of a spinner that does not turn.
const still = "◌"

// statusBar is the row that says what aloud is doing. It is drawn when its words change or one of its clocks moves on, and its spinner turns
// in between. Numbers that change by themselves wait for the clocks.
type statusBar struct {
	state   status.State
	running bool // a turn runs
	motion  motion
	width   int

	line    string    // the words with the clocks
	percent int       // how much of the step is done by then; -1 if unknown
	drawn   time.Time // when that was
	until   time.Time // when a clock moves on; zero: none does
	stale   time.Time // when the line must be drawn again at the latest, since the state has changed; zero: it has not
	picture int       // of the spinner
	spun    time.Time // when it turned
}

// start begins a turn.
func (s *statusBar) start() {
	s.state, s.line, s.until, s.stale, s.percent = status.State{}, "", time.Time{}, time.Time{}, -1
	s.running = true
}

// set shows a new state, if there is one: another step at once, other words soon, and other numbers when the clocks move on.
func (s *statusBar) set(to *status.State) {
	if to == nil {
		return
	}
	old, state := s.state, *to
	s.state = state
	switch {
	case state == old:
	case state.Phase != old.Phase || !state.Since.Equal(old.Since) || state.Paused != old.Paused:
		s.stale = time.Now()
	case !sameWords(state, old) || !s.motion.runs:
		s.stale = earliest(s.stale, s.drawn.Add(frame))
	default:
		s.stale = earliest(s.stale, s.drawn.Add(time.Second))
	}
}

// sameWords reports whether two states of a step differ in nothing but numbers that change all the time.
func sameWords(a, b status.State) bool {
	a.Worked, a.At, a.Ends, a.Tokens, a.Heard, a.Part = b.Worked, b.At, b.Ends, b.Tokens, b.Heard, b.Part
	return a == b
}

// move changes what moves and how wide the row is.
func (s *statusBar) move(m motion, width int, now time.Time) {
	if s.motion != m || s.width != width {
		s.motion, s.width, s.stale = m, width, now
	}
}

// end clears the row: the transcript says how the turn ended.
func (s *statusBar) end() {
	s.running, s.stale, s.state = false, time.Now(), status.State{}
}

// tick draws what has changed by now. Text that arrives ticks, too: a frame that is drawn for it takes the spinner along, and the clock
// then needs none of its own.
func (s *statusBar) tick(now time.Time) {
	switch {
	case passed(s.stale, now), s.running && passed(s.until, now):
		s.draw(now)
	case s.spins() && now.Sub(s.spun) >= spinTime*2/3:
		s.turn(now)
	}
}

func passed(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }

// next is when something changes if nothing happens; zero: never.
func (s *statusBar) next() time.Time {
	next := s.stale
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
		d.Hint, d.Stuck = status.ToStop("esc"), status.ToRetry("esc", "/retry")
	}
	s.line, s.percent = s.state.Line(now, d), percent(s.state, now, s.motion)
	s.drawn, s.stale, s.until = now, time.Time{}, time.Time{}
	if steady := s.state.Steady(now, d.Still); steady > 0 {
		s.until = now.Add(steady)
	}
	if s.spins() { // in step with the clocks, so that one frame does for both
		s.turn(now)
	}
}

// percent is how much of a step is done; -1 if unknown. A part that is only reckoned moves on with the clocks alone.
func percent(state status.State, now time.Time, m motion) int {
	if state.Part > 0 {
		return int(min(state.Part, 1) * 100)
	}
	if expected := state.Estimate(now); expected > 0 && m.runs {
		return int(now.Sub(state.Since) * 100 / expected)
	}
	return -1
}

func (s *statusBar) turn(now time.Time) { s.picture, s.spun = (s.picture+1)%len(spinner), now }

// spins reports whether there is a spinner that turns.
func (s *statusBar) spins() bool {
	return s.running && s.motion.spins && s.line != "" && s.state.Phase != status.Approval && s.state.Phase != status.Stopped
}

// view draws the row.
func (s *statusBar) view(st *look.Look) string {
	if s.line == "" {
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
	return mark + " " + tone.Render(s.line)
}

// frame is how long anything stands there before other news of the same kind takes its place, however fast they come: ten a second.
const frame = 100 * time.Millisecond

// motion says what of the status row moves by itself.
type motion struct {
	spins bool // a spinner turns; else a mark stands there
	runs  bool // clocks run; else the row says since when
}

// motionOf is what moves for a setting. While you do not look nothing moves, and what stands there stays true. A terminal that never reports its
// focus counts as looked at.
func motionOf(wanted status.Motion, looked bool) motion {
	switch {
	case !looked || wanted == status.MotionNone:
		return motion{}
	case wanted == status.MotionReduced:
		return motion{runs: true}
	}
	return motion{spins: true, runs: true}
}

// beat lets the status row move on, and sets the clock to when it, or an open dialog, needs the next message. There is no other clock, and a
// frame that is drawn for anything else takes along what is due.
func (m *model) beat(now time.Time) tea.Cmd {
	m.status.move(motionOf(m.options.Motion, m.attention.looked), m.width-1, now)
	m.status.tick(now)
	next := m.status.next()
	if m.regions.status == 0 {
		next = time.Time{}
	}
	if top := m.dialogs.Top(); top != nil && m.status.motion.runs {
		next = earliest(next, top.Next(now))
	}
	return m.clock.set(now, earliest(next, m.dialogs.Beat(now)))
}

// clock is the one timer behind everything that moves. It waits for the next change of what is seen, and does not wait while there is none.
type clock struct {
	due    time.Time // when it strikes; zero: it does not
	strike int       // which strike is waited for: earlier ones count no more
}

// tickMsg says that the clock has struck.
type tickMsg struct{ strike int }

// set makes the clock strike when something changes next; the zero time means never. A strike that is due earlier stays: the clock is set
// again then.
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

// struck takes the message.
func (c *clock) struck(msg tickMsg) {
	if msg.strike == c.strike {
		c.due = time.Time{}
	}
}

// earliest is the first of two times, where the zero time is never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
