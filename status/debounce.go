package status

import "time"

// Shortest is how long a step must last to be drawn.
const Shortest = 150 * time.Millisecond

const (
	held = 300 * time.Millisecond // how long a step stays once it is drawn
	late = time.Second            // how long after its end at most, however short the steps that follow
)

// Debouncer chooses the states to draw, so that the line can be read: steps that end at once are left out, and a step
// that is drawn stays for a while. What needs you and the end of a turn are drawn at once. The zero value draws
// nothing.
type Debouncer struct {
	drawn State
	since time.Time // when the step was drawn
	ended time.Time // when it ended; zero while it lasts
	next  State     // the newest state
}

// Set takes a new state.
func (d *Debouncer) Set(s State, now time.Time) {
	if d.next = s; d.waits() && d.ended.IsZero() {
		d.ended = now
	}
}

// At returns the state to draw.
func (d *Debouncer) At(now time.Time) State {
	switch {
	case !d.waits():
		d.drawn, d.ended = d.next, time.Time{}
	case !d.Due().After(now):
		d.drawn, d.since, d.ended = d.next, now, time.Time{}
	}
	return d.drawn
}

// Due returns when another step is drawn, if it lasts; zero means that none waits.
func (d *Debouncer) Due() time.Time {
	switch d.next.Phase {
	case Idle, Approval, Stopped:
		return d.ended
	}
	if !d.waits() || d.drawn.Phase == Approval { // you have answered
		return d.ended
	}
	due := d.next.Since.Add(Shortest)
	if most := d.ended.Add(late); due.After(most) {
		due = most
	}
	if least := d.since.Add(held); d.drawn.Phase != Idle && due.Before(least) {
		due = least
	}
	return due
}

// waits reports whether the newest state is of a step that is not drawn.
func (d *Debouncer) waits() bool {
	return d.next.Phase != d.drawn.Phase || !d.next.Since.Equal(d.drawn.Since)
}
