package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/status"
)

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
