package provider

// asked is what servers ask while their tools run. The work clock stands still meanwhile, as it does during an approval.
type asked struct {
	turn    *turn
	now     Ask
	changed <-chan struct{} // nil: no server can ask
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
	case a.now == Ask{}:
		a.turn.clock.resume()
	}
	a.turn.emit(ServerAsks{Ask: a.now})
}

// end lets the clock run on, whoever still asks.
func (a *asked) end() {
	if a.now != (Ask{}) {
		a.turn.clock.resume()
	}
}
