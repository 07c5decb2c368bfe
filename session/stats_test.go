package session_test

import (
	"encoding/json"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// finish records a turn with some seconds of writing.
func finish(t testing.TB, r *session.Recorder, model string, stop event.Reason, rounds int, seconds int64,
	calls ...event.ToolCall,
) {
	t.Helper()
	question := []provider.Message{{Role: provider.RoleUser, Text: "?"}}
	record(t, r, []event.Event{event.Appended{Messages: question}, event.Ended{Result: event.Result{
		Model: model, Stop: event.Stop{Reason: stop}, Rounds: rounds, ToolCalls: calls,
		Usage:  event.TurnUsage{PromptTokens: 1000, AnswerTokens: int(seconds) * 30},
		Timing: event.Timing{Load: 100, Prompt: 2000, Answer: seconds * 1000, Tools: 50, Total: seconds*1000 + 2150},
	}}})
}

func called(server, name string, status event.CallStatus, ms int64) event.ToolCall {
	return event.ToolCall{ID: "c", Server: server, Name: name, Status: status, DurationMS: ms, Result: "much text"}
}

func TestStats(t *testing.T) {
	store := session.Open(t.TempDir())
	if stats, err := store.Stats(); err != nil || stats.Turns != 0 || stats.Text() != "" {
		t.Errorf("%+v, %v", stats, err)
	}
	first := store.New()
	defer first.Close()
	ask(t, first, "one", "first")
	finish(t, first, "qwen3:8b", event.Done, 3, 10,
		called("clock", "clock__now", event.CallOK, 10), called("clock", "clock__now", event.CallError, 5000),
		called("clock", "clock__now", event.CallCached, 0),
		called("", "get_time", event.CallError, 0), called("", "time_get", event.CallError, 0))
	finish(t, first, "qwen3:8b", event.Iterations, 10, 20, called("files", "files__write_file", event.CallDenied, 0))
	compact(t, first, summary("One and two.", 0, 4)) // not a turn
	second := store.New()
	finish(t, second, "qwen3:8b", event.Cancelled, 0, 900)
	finish(t, second, "small\x1b]0;evil\a", event.Failed, 0, 1)
	second.Close()

	stats, err := store.Stats()
	must(t, err)
	encoded, err := json.MarshalIndent(stats, "", " ")
	must(t, err)
	golden(t, "testdata/stats.json", string(encoded)+"\n")
	golden(t, "testdata/stats.txt", stats.Text())
}
