package session_test

import (
	"os"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
)

// TestEndsOfOlderVersions checks that the end of a turn is shown with the same words whether it was saved by this
// version or by an older one, which saved only the sentence.
func TestEndsOfOlderVersions(t *testing.T) {
	const room = "Set a larger context, or start a new conversation.\nG · C"
	ways := status.Ways{GoOn: "G", Retry: "R", Model: "M", Room: "C"}
	for name, test := range map[string]struct {
		saved   string
		stop    event.Stop
		receipt string
		ending  string // as in status.Ending; "" if it is not compared
	}{
		"rounds": {
			`"reason":"iterations","detail":"[Unable to complete task: 10 tool rounds used (limits.iterations = 10)]",` +
				`"limit":10`,
			event.Stop{Reason: event.Iterations, Value: 10, Limit: 10}, "■ Stopped", "G",
		},
		"failures": {
			`"reason":"errors","detail":"[Unable to complete task: 4 tool calls failed in a row, the last was Do It: ` +
				`no (limits.consecutive_errors = 3); the model gave no final answer]","limit":3`,
			event.Stop{Reason: event.Errors, Value: 4, Limit: 3, Tool: "Do It", Error: "no."},
			"■ Stopped", "G",
		},
		"an unknown tool": {
			`"reason":"invalid_tool","detail":"[Unable to complete task: the model called \"x\" again, ` +
				`a tool that does not exist]","limit":null`,
			event.Stop{Reason: event.InvalidTool, Tool: "x"},
			"■ Stopped", "G",
		},
		"time": {
			`"reason":"time","detail":"[Unable to complete task: 2m00s of work used (limits.total_time = 2m0s)]","limit":"2m0s"`,
			event.Stop{Reason: event.Time, Value: 120_000, Limit: "2m0s"}, "■ Stopped", "G",
		},
		"a refusal": {
			`"reason":"denied","detail":"Write File was refused","limit":null`,
			event.Stop{Reason: event.Denied, Tool: "Write File"}, "■ Stopped: Write File was refused", "",
		},
		"you": {
			`"reason":"cancelled","detail":"","limit":null`, event.Stop{Reason: event.Cancelled}, "■ Stopped by you", "",
		},
		"a signal": {
			`"reason":"cancelled","detail":"stopped by a signal","limit":null`,
			event.Stop{Reason: event.Cancelled, Cause: event.BySignal}, "■ Stopped by a signal", "",
		},
		"a failure": {
			`"reason":"error","detail":"no server; start it","limit":null`,
			event.Stop{Reason: event.Failed, Detail: "no server; start it"}, "✗ Failed", "No server; start it.\nR · M",
		},
		"giving up": {
			`"reason":"gave_up","detail":"the model gave an empty answer, even when asked again","limit":null`,
			event.Stop{Reason: event.GaveUp, Cause: event.EmptyAnswer, Value: 2},
			"■ Stopped: the model gave an empty answer, even when asked again", "",
		},
		"a full window": {
			`"reason":"length","detail":"the context window of 8.2k tokens is full","limit":8192`,
			event.Stop{Reason: event.Length, Cause: event.WindowFull, Value: 8192, Limit: 8192},
			"■ Stopped", "The context window of 8.2k tokens is full. " + room,
		},
		"an assumed window": {
			`"reason":"length","detail":"the context window of about 32k tokens is full","limit":null`,
			event.Stop{Reason: event.Length, Cause: event.WindowFull, Value: 32768},
			"■ Stopped", "The context window of about 32k tokens is full. " + room,
		},
		"repetition": {
			`"reason":"length","detail":"the thinking repeats itself","limit":null`,
			event.Stop{Reason: event.Length, Cause: event.ThinkingRepeats},
			"■ Stopped", "The thinking repeats itself. Ask again, or use another model.\nR · M · G",
		},
		"a limit of tokens": {
			`"reason":"length","detail":"the model server's limit of 512 tokens is reached","limit":512`,
			event.Stop{Reason: event.Length, Cause: event.TokenLimit, Value: 512, Limit: 512},
			"■ Stopped", "The model server's limit of 512 tokens is reached. Ask for a shorter answer.\nG",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ""
			if test.stop.Reason == event.Errors {
				answer = "the model gave no final answer"
			}
			dir := t.TempDir()
			store := session.Open(dir)
			r := store.New()
			record(t, r, []event.Event{
				event.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}}},
				event.Ended{Result: event.Result{Stop: test.stop.Told(answer)}},
			})
			r.Close()
			f, err := os.OpenFile(file(dir, r.ID()), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			if _, err := f.WriteString(`{"type":"end","end":{"stop":{` + test.saved + "}}}\n"); err != nil {
				t.Fatal(err)
			}
			f.Close()
			again, _, err := store.Resume("")
			must(t, err)
			defer again.Close()
			turns := again.Turns()
			if len(turns) != 2 {
				t.Fatalf("there are %d turns", len(turns))
			}
			for i, turn := range turns {
				s := turn.Result.Stop
				words := status.Receipt(event.Result{Stop: s})
				if words != test.receipt || s.Detail != turns[0].Result.Stop.Detail {
					t.Errorf("turn %d is shown as %q, with the detail %q", i, words, s.Detail)
				}
				if words := status.Ending(turn.Result, ways); test.ending != "" && words != test.ending {
					t.Errorf("turn %d ends with %q", i, words)
				}
			}
		})
	}
}
