package ui

import (
	"cmp"

	"github.com/aloudchat/aloud/ui/look"
)

// moment is what decides what keys do.
type moment struct {
	dialog    bool // a dialog is open, and says itself what its keys do
	listing   bool // completions are listed
	draft     bool // the line is not empty
	queued    bool // a message is in the queue
	occupied  bool // a message would be queued
	busy      bool // a turn runs
	stops     bool // there is something to stop
	stopped   bool // the last turn can be continued
	continues bool // enter continues it
	scrolled  bool // the end of the conversation is out of view
}

// hints say what keys do, in three lengths. The last is for a row that has no room for more than what matters most.
type hints struct{ long, short, last string }

// hints returns what the keys do. offers are the completions, or what can be typed.
func (n moment) hints(keys keymap, offers string) hints {
	help, stop, send := keys.of(doHelp, " help"), "", keys.of(doSend, "")
	if n.busy {
		help = keys.of(doHelp, " why")
	}
	if n.stops {
		stop = keys.of(doStop, " stops")
	}
	switch {
	case n.dialog:
		return hints{}
	case n.listing:
		return hints{look.Dotted(offers, keys.of(doStop, " hides")), offers, ""}
	case n.occupied && n.draft:
		return hints{look.Dotted(send+" queues", stop), cmp.Or(stop, send+" queues"), stop}
	case n.occupied && n.queued:
		return hints{look.Dotted(keys.of(doEditQueued, " edits the queue"), stop), stop, stop}
	case n.occupied:
		return hints{look.Dotted(help, stop), cmp.Or(stop, help), stop}
	case n.draft:
		return hints{look.Dotted(send+" sends", keys.of(doNewline, " new line")), send + " sends", ""}
	case n.continues:
		return hints{look.Dotted(send+" continues", help), send + " continues", send + " continues"}
	case n.stopped:
		return hints{look.Dotted("/continue goes on", help), "/continue goes on", ""}
	case n.scrolled:
		return hints{look.Dotted(keys.of(doPageUp, ""), keys.of(doPageDown, " scroll"), help), help, ""}
	}
	return hints{look.Dotted(offers, help), help, ""}
}
