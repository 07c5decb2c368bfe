package status

import "time"

// silence is how long nothing must have come before the line says so.
const silence = 10 * time.Second

// Steady is how long from now the line stays as it is if nothing happens; 0 if it stays forever.
func (s State) Steady(now time.Time, still bool) time.Duration {
	switch {
	case s.Phase == Idle, s.Phase == Stopped:
		return 0
	case still:
		return max(s.silentAt().Sub(now), 0) // the zero time is long ago
	case s.Since.IsZero():
		return 0
	}
	return s.lastTick(now).Add(time.Second).Sub(now)
}

// lastTick is when the step's clock last moved. All clocks are read then, so that a line changes once a second and not
// once for each of them. A clock that is set back shows its zero.
func (s State) lastTick(now time.Time) time.Time {
	if s.Since.IsZero() {
		return now
	}
	return s.Since.Add(max(now.Sub(s.Since), 0).Truncate(time.Second))
}

// hasTurnClock reports whether the turn's clock says something that the step's does not: in a turn's first step both run as one.
func (s State) hasTurnClock() bool {
	return !s.At.IsZero() && s.before().Abs() >= time.Second
}

// before is the work that was done before this step. It is negative if the clock was paused in the step.
func (s State) before() time.Duration {
	if s.Paused {
		return s.Worked
	}
	return s.Worked - s.At.Sub(s.Since)
}

// SilentBy reports whether nothing has come for so long that it is worth a word.
func (s State) SilentBy(now time.Time) bool {
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
