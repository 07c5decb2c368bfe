package provider

import "fmt"

// remaining tells the model, behind the results of a round, that only one or two rounds are left, so that it uses them well. It is kept in
// the conversation: taking it back would cost the server its prompt cache.
func (t *turn) remaining() string {
	switch left := t.limits.Iterations - t.result.Rounds; {
	case t.limits.Iterations <= 2:
		return ""
	case left == 2, left == 1:
		return fmt.Sprintf("\n\n(%s of tool calls left, then you must answer)", plural(left, "round"))
	}
	return ""
}
