package status

import "time"

// silence is how long the output must have stopped before the line reports it.
const silence = 10 * time.Second

// Steady returns how long the line stays the same if nothing happens, or 0 if it does so forever.
func (s State) Steady(now time.Time, still bool) time.Duration {
	switch {
	case s.Phase == Idle, s.Phase == Stopped:
		return 0
	case still:
		return max(s.silentAt().Sub(now), 0) // the zero time is in the past
	case s.Since.IsZero():
		return 0
	}
	return s.lastTick(now).Add(time.Second).Sub(now)
}

// lastTick returns when the step's clock last changed. All clocks are read at that time, so that the line changes
// once a second. A clock that was set back shows zero.
func (s State) lastTick(now time.Time) time.Time {
	if s.Since.IsZero() {
		return now
	}
	return s.Since.Add(max(now.Sub(s.Since), 0).Truncate(time.Second))
}

// before returns the work time before this step. It is negative if the clock was paused during the step.
func (s State) before() time.Duration {
	if s.Paused {
		return s.Worked
	}
	return s.Worked - s.At.Sub(s.Since)
}

// SilentBy reports whether the output has stopped for so long that the line reports it.
func (s State) SilentBy(now time.Time) bool {
	at := s.silentAt()
	return !at.IsZero() && !now.Before(at)
}

// silentAt returns when the line reports silence: after ten seconds, but not before the estimated end of the step. The
// zero time means never.
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
