package provider

import (
	"time"

	"github.com/aloudchat/aloud/status"
)

// asked is what servers ask while their tools run. The work clock stands still meanwhile, as while an approval is asked for, and the line says
// who asks.
type asked struct {
	caption *caption
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
func (t *turn) newAsked(c *caption) *asked {
	a := &asked{caption: c}
	if t.chat.Asker != nil {
		a.look()
	}
	return a
}

// look finds out what is asked now.
func (a *asked) look() {
	t := a.caption.turn
	was := a.now
	a.now, a.changed = t.chat.Asker.Asking()
	switch {
	case a.now == was && a.now != (Ask{}):
		t.tell() // it may be another question: whoever answers in between events learns of it
		return
	case a.now == was:
		return
	case was == Ask{}:
		t.clock.pause()
		a.caption.hidden = true
		a.spans = append(a.spans, span{from: time.Now()})
	case a.now == Ask{}:
		t.clock.resume()
		a.spans[len(a.spans)-1].to = time.Now()
		a.caption.back()
		return
	}
	if a.now.Model {
		t.begin(status.UsingTool, status.Samples(a.now.Server))
	} else {
		t.begin(status.Approval, status.Asks(a.now.Server))
	}
}

// end lets the clock run on, whoever still asks.
func (a *asked) end() {
	if a.now != (Ask{}) {
		a.caption.turn.clock.resume()
	}
}
