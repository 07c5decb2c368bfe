package status

import "time"

// Shortest is how long a step must last to be drawn.
const Shortest = 150 * time.Millisecond

const (
	held = 300 * time.Millisecond // how long a step stays once it is drawn
	late = time.Second            // how long after its end at most, however short the steps that follow
)

// Calm chooses the states to draw, so that the line can be read: steps that end at once are left out, and a step that
// is drawn stays for a while. What needs you and the end of a turn are drawn at once. The zero value draws nothing.
type Calm struct {
	drawn State
	since time.Time // when the step was drawn
	ended time.Time // when it ended; zero while it lasts
	next  State     // the newest state
}

// Set takes a new state.
func (c *Calm) Set(s State, now time.Time) {
	if c.next = s; c.waits() && c.ended.IsZero() {
		c.ended = now
	}
}

// At returns the state to draw.
func (c *Calm) At(now time.Time) State {
	switch {
	case !c.waits():
		c.drawn, c.ended = c.next, time.Time{}
	case !c.Due().After(now):
		c.drawn, c.since, c.ended = c.next, now, time.Time{}
	}
	return c.drawn
}

// Due returns when another step is drawn, if it lasts; zero means that none waits.
func (c *Calm) Due() time.Time {
	switch c.next.Phase {
	case Idle, Approval, Stopped:
		return c.ended
	}
	if !c.waits() || c.drawn.Phase == Approval { // you have answered
		return c.ended
	}
	due := c.next.Since.Add(Shortest)
	if most := c.ended.Add(late); due.After(most) {
		due = most
	}
	if least := c.since.Add(held); c.drawn.Phase != Idle && due.Before(least) {
		due = least
	}
	return due
}

// waits reports whether the newest state is of a step that is not drawn.
func (c *Calm) waits() bool {
	return c.next.Phase != c.drawn.Phase || !c.next.Since.Equal(c.drawn.Since)
}
