package transcript

import (
	"cmp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
)

// Load appends the entries of a stored conversation, and the ends of its turns. Entries are rendered when they come
// into view.
func (t *Transcript) Load(c provider.Conversation, turns []session.Turn) {
	calls, known := map[string]*toolEntry{}, session.CallsOf(turns)
	round := 0 // of the turn
	for i, m := range c.Messages() {
		if rest := t.loadEnds(i, turns); len(rest) < len(turns) {
			turns, round = rest, 0
		}
		switch m.Role {
		case provider.RoleUser:
			if m.IsContinue() {
				continue // written by aloud
			}
			t.Question(m)
		case provider.RoleAssistant:
			if m.From != "" {
				t.Question(m)
				continue
			}
			ended := len(turns) > 0 && turns[0].Messages == i+1 // this explains why a partial answer ends there
			t.loadAnswer(m, m.Partial && !ended, thinkingTime(m, round, turns), calls)
			round++
		case provider.RoleTool:
			if e := calls[m.CallID]; e != nil {
				e.update(answered(e.call, m, known[m.CallID]))
				e.pictured = len(m.Images) > 0
				t.illustrate(e, m.Images)
				delete(calls, m.CallID)
			}
		case provider.RoleSummary:
			t.entries = append(t.entries, newNoticeEntry(Info, summaryWords(m, "")))
		}
	}
	t.loadEnds(c.Len(), turns)
	t.fold(0)
	t.End()
}

// loadEnds appends the ends of the turns with at most n messages, and returns the other turns.
func (t *Transcript) loadEnds(n int, turns []session.Turn) []session.Turn {
	for ; len(turns) > 0 && turns[0].Messages <= n; turns = turns[1:] {
		r := turns[0].Result
		if r.Stop.Reason.IsLimit() {
			t.Notice(Info, cmp.Or(r.Stop.Detail, string(r.Stop.Reason))) // as during the turn
		}
		t.Ended(r)
	}
	return turns
}

// ways are the commands for what helps after a turn.
var ways = status.Ways{
	GoOn: "/continue goes on", Retry: "/retry asks again", Model: "/model changes the model", Room: "/compact makes room",
}

// Ended appends the end of a turn: its sources, why it failed or was cut off, what helps, and the receipt.
func (t *Transcript) Ended(r event.Result) {
	if len(r.Sources) > 0 {
		t.add(newSourcesEntry(r.Sources))
	}
	kind := Info
	if r.Stop.Reason == event.Failed {
		kind = Error
	}
	if text := status.Ending(r, ways); text != "" {
		t.Notice(kind, text)
	}
	if receipt := newReceipt(r); receipt != nil {
		receipt.steps = t.stepsOf(r.Timing.Steps)
		t.add(receipt)
	}
}

func (t *Transcript) loadAnswer(m provider.Message, cut bool, thought time.Duration, calls map[string]*toolEntry) {
	if m.Thinking != "" {
		t.entries = append(t.entries, storedThought(m.Thinking, thought))
	}
	if strings.TrimSpace(m.Text) != "" {
		t.entries = append(t.entries, storedReply(m.Text, cut))
	}
	for _, call := range m.Calls {
		e := newToolEntry(callOf(call))
		calls[call.ID] = e
		t.entries = append(t.entries, e)
	}
}

// thinkingTime estimates how long the model thought before a stored message: the part of the thought in all that it
// wrote in this round. A thought that had no row during the turn has none later. It returns -1 for a longer one, whose
// exact time is unknown.
func thinkingTime(m provider.Message, round int, turns []session.Turn) time.Duration {
	if len(turns) == 0 || m.Thinking == "" {
		return -1
	}
	all := len(m.Thinking) + len(m.Text)
	for _, c := range m.Calls {
		all += len(c.Name) + len(c.Arguments)
	}
	for _, lap := range turns[0].Result.Timing.Steps {
		took := time.Duration(lap.MS) * time.Millisecond * time.Duration(len(m.Thinking)) / time.Duration(all)
		if lap.Kind == event.LapWrite && lap.Round == round && took < shortThought {
			return took
		}
	}
	return -1
}

// callOf returns a stored call. A call without a result was cancelled.
func callOf(c provider.Call) event.ToolCall {
	server, name, ok := strings.Cut(c.Name, "__")
	if !ok {
		server, name = "", c.Name
	}
	return event.ToolCall{
		ID: c.ID, Name: c.Name, Server: server, Title: cmp.Or(c.Title, mcpclient.Title("", name)),
		Arguments: c.Arguments, Status: event.CallCancelled,
	}
}

// answered adds the stored result of a tool to a call. known is the call in the record of the turn's end, or empty if
// the turn did not end.
func answered(c event.ToolCall, m provider.Message, known event.ToolCall) event.ToolCall {
	switch {
	case known.ID != "":
		known.Arguments = c.Arguments
		c = known
	case m.Failed:
		c.Status, c.Error = event.CallError, m.Text
	default:
		c.Status, c.DurationMS = event.CallOK, unknown
	}
	c.Result = m.Text
	return c
}
