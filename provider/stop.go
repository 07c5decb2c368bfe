package provider

import (
	"strings"

	"github.com/aloudchat/aloud/status"
)

// The Detail of a turn that a limit ended, which ends with "]", is the reason between these.
const (
	unable  = "[Unable to complete task: "
	lastWas = ", the last was " // of several failures
	movedBy = " (limits."       // that moves the limit
)

// Words say in a few words that a turn was stopped and why: "Stopped: 10 tool rounds used", "Stopped by you". They are "" if the model answered.
// They need nothing but the Stop itself, so that a resumed conversation has the words that were there when it was held.
func (s Stop) Words() string {
	switch s.Reason {
	case Done:
		return ""
	case Cancelled:
		return status.StoppedByYou
	case Failed:
		return status.StoppedFor("an error")
	}
	why := strings.TrimSuffix(strings.TrimPrefix(s.Detail, unable), "]")
	why, _, _ = strings.Cut(why, movedBy)
	why, _, _ = strings.Cut(why, lastWas)
	return status.StoppedFor(clip(why, 200))
}
