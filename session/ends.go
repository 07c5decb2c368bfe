package session

import (
	"github.com/aloudchat/aloud/provider"
)

// Turn is how a turn of a conversation ended, for who shows the conversation again.
type Turn struct {
	Messages int             // that the conversation had then
	Result   provider.Result // without the answer; calls have no arguments and results, and very many calls, steps or sources are cut
}

// Turns are those of the conversation that have ended, in their order: also those before it was resumed, but none that Rewind took back.
// nil has none.
func (r *Recorder) Turns() []Turn {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	turns := make([]Turn, len(r.ends))
	for i, e := range r.ends {
		turns[i] = Turn{e.messages, e.result()}
	}
	return turns
}

// endAt is how a turn ended, and how many messages there were then.
type endAt struct {
	messages int
	turnEnd
}

// until drops the ends after message n from a list that is in order, and so stays in order.
func until(ends []endAt, n int) []endAt {
	for len(ends) > 0 && ends[len(ends)-1].messages > n {
		ends = ends[:len(ends)-1]
	}
	return ends
}

// result is what is kept of a provider.Result.
func (e *turnEnd) result() provider.Result {
	r := provider.Result{Stop: e.Stop, Rounds: e.Rounds, Usage: e.Usage, Timing: e.Timing, Sources: e.Sources}
	for _, c := range e.Calls {
		r.ToolCalls = append(r.ToolCalls, provider.ToolCall{Name: c.Name, Server: c.Server, Status: c.Status, DurationMS: c.DurationMS})
	}
	return r
}
