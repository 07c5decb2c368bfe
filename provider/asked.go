package provider

import "github.com/aloudchat/aloud/status"

// asked is what servers ask while their tools run. The work clock stands still meanwhile, as while an approval is asked for, and the line says
// who asks.
type asked struct {
	caption *caption
	now     Ask
	changed <-chan struct{} // nil: nobody can ask
}

// newAsked begins to look. The caller must call end.
func (t *turn) newAsked(c *caption) *asked {
	a := &asked{caption: c}
	if t.chat.Desk != nil {
		a.look()
	}
	return a
}

// look finds out what is asked now.
func (a *asked) look() {
	t := a.caption.turn
	was := a.now
	a.now, a.changed = t.chat.Desk.Asking()
	switch {
	case a.now == was && a.now != (Ask{}):
		t.tell() // it may be another question: whoever answers in between events learns of it
		return
	case a.now == was:
		return
	case was == Ask{}:
		t.clock.pause()
		a.caption.hidden = true
	case a.now == Ask{}:
		t.clock.resume()
		a.caption.back()
		return
	}
	if a.now.Model {
		t.begin(status.UsingTool, t.words().Samples(a.now.Server))
	} else {
		t.begin(status.Approval, t.words().Asks(a.now.Server))
	}
}

// end lets the clock run on, whoever still asks.
func (a *asked) end() {
	if a.now != (Ask{}) {
		a.caption.turn.clock.resume()
	}
}
