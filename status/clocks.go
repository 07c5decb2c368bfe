package status

import "time"

// silence is how long nothing must have come before the line says so.
const silence = 10 * time.Second

// clocks is all of a line that changes with the time: two lines of one state with the same clocks are the same. Each is rounded down to what
// is shown of it; none: it is not shown.
type clocks struct {
	step     time.Duration // how long the step has taken
	expected time.Duration // how long it is likely to take in all; 0 if unknown
	turn     time.Duration // how long the turn has worked
	left     time.Duration // until the turn is cut off
	silent   time.Duration // how long nothing has come
}

const none time.Duration = -1

// clocks reads them all at the last tick of the leading one, so that a line changes once a second and not once for each of its clocks.
func (s State) clocks(now time.Time) clocks {
	tick := s.lastTick(now)
	c := clocks{step: none, expected: s.Estimate(tick), turn: none, left: none, silent: none}
	if !s.Since.IsZero() {
		c.step = visible(tick.Sub(s.Since))
		if !s.Ends.IsZero() {
			c.left = visible(s.Ends.Sub(tick) + time.Second - 1)
		}
	}
	if s.hasTurnClock() {
		c.turn = visible(s.Elapsed(now))
		if !s.Paused { // the same whenever in this second the state was taken
			c.turn = visible(s.Elapsed(now) - now.Sub(tick))
		}
	}
	if s.silentBy(tick) {
		c.silent = visible(tick.Sub(s.Heard))
	}
	return c
}

// Steady is how long from now the line stays as it is if nothing happens; 0 if it stays forever.
func (s State) Steady(now time.Time, still bool) time.Duration {
	const longest = 60 // seconds, after which a clock that shows minutes moves
	switch {
	case s.Phase == Idle, s.Phase == Stopped:
		return 0
	case still:
		return max(s.silentAt().Sub(now), 0) // the zero time is long ago
	case s.leading().IsZero():
		return 0
	}
	shown, next := s.clocks(now), s.lastTick(now)
	for range longest {
		next = next.Add(time.Second)
		if s.clocks(next) != shown {
			break
		}
	}
	return next.Sub(now)
}

// leading is the zero of the clock whose seconds the line follows: the step's, or else the turn's, or else that of silence. Zero: none runs.
func (s State) leading() time.Time {
	switch {
	case !s.Since.IsZero():
		return s.Since
	case !s.At.IsZero() && !s.Paused:
		return s.At.Add(-s.Worked)
	}
	return s.Heard
}

// lastTick is when the leading clock last moved. A clock that is set back shows its zero.
func (s State) lastTick(now time.Time) time.Time {
	zero := s.leading()
	if zero.IsZero() {
		return now
	}
	return zero.Add(max(now.Sub(zero), 0).Truncate(time.Second))
}

// hasTurnClock reports whether the turn's clock says something that the step's does not: in a turn's first step both run as one.
func (s State) hasTurnClock() bool {
	return !s.At.IsZero() && (s.Since.IsZero() || s.before().Abs() >= time.Second)
}

// before is the work that was done before this step. It is negative if the clock was paused in the step.
func (s State) before() time.Duration {
	if s.Paused {
		return s.Worked
	}
	return s.Worked - s.At.Sub(s.Since)
}

// silentBy reports whether nothing has come for so long that it is worth a word.
func (s State) silentBy(now time.Time) bool {
	at := s.silentAt()
	return !at.IsZero() && !now.Before(at)
}

// silentAt is when silence is worth a word: after ten seconds, and not before the step is over by its estimate. Zero: never.
func (s State) silentAt() time.Time {
	if s.Heard.IsZero() {
		return time.Time{}
	}
	at := s.Heard.Add(silence)
	if over := s.Since.Add(s.Estimate(s.Since)); over.After(at) {
		return over
	}
	return at
}

// visible is what Duration shows of d.
func visible(d time.Duration) time.Duration {
	if d >= time.Hour {
		return d.Truncate(time.Minute)
	}
	return max(d, 0).Truncate(time.Second)
}
