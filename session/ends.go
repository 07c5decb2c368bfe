package session

import (
	"github.com/aloudchat/aloud/provider"
)

// Turn is how a turn of a conversation ended.
type Turn struct {
	Messages int             // the length of the conversation at that time
	Result   provider.Result // without the answer, and without the arguments and results of calls
}

// Turns returns the turns that had ended when the session was resumed, in order, without those that were taken back.
func (r *Recorder) Turns() []Turn {
	if r == nil {
		return nil
	}
	return r.turns
}

// LastTurn returns the last of Turns, if there is one.
func (r *Recorder) LastTurn() (last Turn, ok bool) {
	turns := r.Turns()
	if len(turns) == 0 {
		return Turn{}, false
	}
	return turns[len(turns)-1], true
}

// until drops the turns that ended after message n.
func until(ends []Turn, n int) []Turn {
	for len(ends) > 0 && ends[len(ends)-1].Messages > n {
		ends = ends[:len(ends)-1]
	}
	return ends
}

// ended is the turn of an end, with its calls as they were recorded when they finished.
func (h *history) ended(end *turnEnd) Turn {
	r := provider.Result{Stop: end.Stop, Rounds: end.Rounds, Usage: end.Usage, Timing: end.Timing, Sources: end.Sources}
	begun := 0
	if n := len(h.turns); n > 0 {
		begun = h.turns[n-1].Messages
	}
	for _, m := range h.messages[begun:] {
		for _, call := range m.Calls {
			if c := h.calls[call.ID]; c.Status != "" && c.Status != provider.CallPending {
				c.Arguments, c.Result = nil, ""
				r.ToolCalls = append(r.ToolCalls, c)
			}
		}
	}
	return Turn{len(h.messages), r}
}

// CallsOf returns the calls of turns by their ids.
func CallsOf(turns []Turn) map[string]provider.ToolCall {
	calls := map[string]provider.ToolCall{}
	for _, t := range turns {
		for _, c := range t.Result.ToolCalls {
			calls[c.ID] = c
		}
	}
	return calls
}
