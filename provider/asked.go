package provider

import "time"

// asked is what servers ask while their tools run. The work clock stands still meanwhile, as it does during an approval.
type asked struct {
	turn    *turn
	now     Ask
	changed <-chan struct{} // nil: nobody can ask
	spans   []span          // while something was asked; the last one has no end while something is
}

// span is a stretch of time.
type span struct{ from, to time.Time }

// within is how much of the time since then passed while something was asked: that is no work of the tool's.
func (a *asked) within(since time.Time) (sum time.Duration) {
	for _, s := range a.spans {
		if s.from.Before(since) {
			s.from = since
		}
		if s.to.IsZero() {
			s.to = time.Now()
		}
		sum += max(0, s.to.Sub(s.from))
	}
	return sum
}

// newAsked begins to look. The caller must call end.
func (t *turn) newAsked() *asked {
	a := &asked{turn: t}
	if t.chat.Asker != nil {
		a.look()
	}
	return a
}

// look finds out what is asked now. It tells it also when it looks the same: it may be another question.
func (a *asked) look() {
	was := a.now
	a.now, a.changed = a.turn.chat.Asker.Asking()
	switch {
	case a.now == was && was == Ask{}:
		return
	case was == Ask{}:
		a.turn.clock.pause()
		a.spans = append(a.spans, span{from: time.Now()})
	case a.now == Ask{}:
		a.turn.clock.resume()
		a.spans[len(a.spans)-1].to = time.Now()
	}
	a.turn.emit(ServerAsks{Ask: a.now})
}

// end lets the clock run on, whoever still asks.
func (a *asked) end() {
	if a.now != (Ask{}) {
		a.turn.clock.resume()
	}
}
