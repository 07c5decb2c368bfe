package provider

import "strings"

// The Detail of a turn that a limit ended, which ends with "]", is the reason between these.
const (
	unable  = "[Unable to complete task: "
	lastWas = ", the last was " // of several failures
	movedBy = " (limits."       // that moves the limit
)

// Why is the limit, the refusal or the reason given in a few words: "10 tool rounds used". It needs nothing but the Stop itself, so that a resumed
// conversation has the words that were there when the turn ended.
func (s Stop) Why() string {
	why := strings.TrimSuffix(strings.TrimPrefix(s.Detail, unable), "]")
	why, _, _ = strings.Cut(why, movedBy)
	why, _, _ = strings.Cut(why, lastWas)
	return clip(why, 200)
}
