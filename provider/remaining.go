package provider

import "fmt"

// tellRemaining tells the model, behind the last result of a round, that only one or two rounds are left, so that it uses them well. Each request
// of this turn says so in the same place, since taking it back would cost the server its prompt cache. It is not part of the conversation: later
// turns have limits of their own.
func (t *turn) tellRemaining(last *job) {
	switch left := t.limits.Iterations - t.result.Rounds; {
	case t.limits.Iterations <= 2:
	case left == 2, left == 1:
		t.now[last.ID] = fmt.Sprintf("\n\n(%s of tool calls left, then you must answer)", plural(left, "round"))
	}
}
