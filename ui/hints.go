package ui

import "github.com/aloudchat/aloud/ui/look"

// moment is what decides what keys do.
type moment struct {
	dialog    bool // a dialog is open, and says itself what its keys do
	listing   bool // completions are listed
	draft     bool // the line is not empty
	forking   bool // it is a question of before, to be sent on a new branch
	queued    bool // a message is in the queue
	held      bool // the queue waits for enter
	occupied  bool // a message would be queued
	busy      bool // a turn runs
	stopped   bool // the last turn can be continued
	continues bool // enter continues it
	scrolled  bool // the end of the conversation is out of view
}

// hints say what keys do, in three lengths. The last is for a row that has no room for more than what matters most.
type hints struct{ long, short, last string }

// hints returns what the keys do, without "esc stops", which the live line has. offers are the completions, or what can
// be typed.
func (n moment) hints(keys keymap, offers string) hints {
	help, send := keys.of(doHelp, " help"), keys.of(doSend, "")
	if n.busy {
		help = keys.of(doHelp, " why")
	}
	switch {
	case n.dialog:
		return hints{}
	case n.listing:
		return hints{look.Dotted(offers, keys.of(doStop, " hides")), offers, ""}
	case n.occupied && n.draft:
		return hints{send + " queues", send + " queues", ""}
	case n.occupied && n.queued:
		edits := keys.of(doEarlier, " edits")
		if !n.busy {
			return hints{edits, edits, ""}
		}
		return hints{look.Dotted(edits, keys.of(doComplete, " sends with the next request")),
			look.Dotted(edits, keys.of(doComplete, " sends sooner")), edits}
	case n.occupied:
		return hints{help, help, ""}
	case n.forking:
		back := keys.of(doStop, " goes back")
		return hints{look.Dotted(send+" sends on a new branch", back), back, back}
	case n.draft:
		return hints{look.Dotted(send+" sends", keys.of(doNewline, " new line")), send + " sends", ""}
	case n.held:
		sends := send + " sends the queue"
		return hints{look.Dotted(sends, keys.of(doEarlier, " edits")), sends, sends}
	case n.continues:
		return hints{look.Dotted(send+" continues", help), send + " continues", send + " continues"}
	case n.stopped:
		return hints{look.Dotted("/continue goes on", help), "/continue goes on", ""}
	case n.scrolled:
		return hints{look.Dotted(keys.of(doPageUp, ""), keys.of(doPageDown, " scroll"), help), help, ""}
	}
	return hints{look.Dotted(offers, help), help, ""}
}
