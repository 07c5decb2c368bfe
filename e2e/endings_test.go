//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// An ending is a way in which a turn ends. See TestScreenDenied for denied calls.
type ending struct {
	reason   string
	question string
	args     []string
	ctrlC    bool // pressed once the model answers

	code   int    // exit code
	limit  any    // stop.limit
	calls  string // statuses of the tool calls
	answer string // part of the answer
}

func endings() []ending {
	const last = "This is all I found before I had to stop."
	return []ending{
		{reason: "done", question: "[[chain]] count for me", code: 0, calls: "ok ok ok", answer: "Three steps done."},
		{reason: "gave_up", question: "[[gives-up]] coffee, please", code: 5, answer: "no tool that could brew coffee"},
		{reason: "iterations", question: "[[forever]] go on", args: []string{"--max-iterations", "3"},
			code: 4, limit: 3.0, calls: "ok ok ok", answer: last},
		{reason: "errors", question: "[[always-fails]] read", args: []string{"--max-errors", "2"},
			code: 4, limit: 2.0, calls: "error error", answer: last},
		{reason: "time", question: "[[slow-tool]] wait", args: []string{"--max-time", "3s"},
			code: 4, limit: "3s", calls: "cancelled", answer: last},
		{reason: "invalid_tool", question: "[[unknown-tool]] try", args: []string{"--model", tinymodel.Loose},
			code: 4, calls: "error error", answer: last},
		{reason: "cancelled", question: "[[endless]] talk", ctrlC: true, code: 130, answer: "endless-0"},
		{reason: "length", question: "[[stuck]] please", code: 4, answer: "again-and-again"},
		{reason: "error", question: "[[answer]] please", args: []string{"--model", "no-such-model"}, code: 3},
	}
}

// unablePrefix begins the answer when a limit ends the turn.
const unablePrefix = "[Unable to complete task: "

func TestEndings(t *testing.T) {
	for _, end := range endings() {
		t.Run(end.reason, func(t *testing.T) {
			t.Run("json", func(t *testing.T) {
				out := end.play(newWorld(t), "json")
				end.check(t, parseResult(t, out), out)
			})
			t.Run("stream-json", func(t *testing.T) {
				out := end.play(newWorld(t), "stream-json")
				end.check(t, checkEvents(t, out), out)
			})
			t.Run("text", func(t *testing.T) {
				out := end.play(newWorld(t), "text")
				if out.code != end.code {
					t.Errorf("exit code %d, want %d\nstderr: %s", out.code, end.code, out.stderr)
				}
				if !strings.Contains(out.stdout, end.answer) {
					t.Errorf("standard output is %q, want the answer with %q", out.stdout, end.answer)
				}
				if end.isLimit() && !strings.Contains(out.stderr, unablePrefix) || end.code > 2 && out.stderr == "" {
					t.Errorf("standard error has no reason: %q", out.stderr)
				}
			})
		})
	}
}

// isLimit reports whether a limit ends the turn, after which the model is asked once more.
func (e ending) isLimit() bool { return e.code == 4 && e.reason != "length" }

// play sends the message and waits for the end.
func (e ending) play(w *world, format string) outcome {
	w.t.Helper()
	cmd := w.start(append(e.args, "--output", format, "-p", e.question)...)
	if e.ctrlC {
		w.waitForSession("endless-1")
		cmd.signal(os.Interrupt)
	}
	return cmd.wait()
}

func (e ending) check(t testing.TB, r result, out outcome) {
	t.Helper()
	if r.Stop.Reason != e.reason || out.code != e.code {
		t.Errorf("stop %+v and exit code %d, want %q and %d\nstderr: %s", r.Stop, out.code, e.reason, e.code, out.stderr)
	}
	if e.limit != nil && r.Stop.Limit != e.limit {
		t.Errorf("stop.limit is %v, want %v", r.Stop.Limit, e.limit)
	}
	if e.reason != "done" && e.reason != "cancelled" && r.Stop.Detail == "" {
		t.Error("stop.detail is empty")
	}
	if e.isLimit() && !strings.HasPrefix(r.Stop.Detail, unablePrefix) {
		t.Errorf("stop.detail is %q, want the prefix %q", r.Stop.Detail, unablePrefix)
	}
	if got := r.statuses(); got != e.calls {
		t.Errorf("the calls are %q, want %q: %+v", got, e.calls, r.ToolCalls)
	}
	if !strings.Contains(r.Answer, e.answer) {
		t.Errorf("the answer is %q, want %q in it", r.Answer, e.answer)
	}
	if strings.Contains(r.Answer, "[cannot]") {
		t.Errorf("the answer shows the marker of the system prompt: %q", r.Answer)
	}
}

// checkEvents returns the result at the end of a stream. It checks that each line is an object, that each call has
// one result, and that the text that was not withdrawn is the answer.
func checkEvents(t testing.TB, out outcome) result {
	t.Helper()
	var last result
	var text strings.Builder
	called, finished := map[string]int{}, map[string]int{}
	lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
	for i, line := range lines {
		var event struct {
			Type, Delta, Phase, ID string
			Text                   string
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("line %d is not an object: %v\n%s", i, err, line)
		}
		switch event.Type {
		case "text":
			text.WriteString(event.Delta)
		case "tool_call": // text before a call is not part of the answer
			called[event.ID]++
			text.Reset()
		case "tool_result":
			finished[event.ID]++
		case "withdrawn": // the reply is retried
			text.Reset()
		case "thinking", "status", "notice", "compacted":
		case "result":
			if i != len(lines)-1 {
				t.Errorf("the result is line %d of %d, want it last", i+1, len(lines))
			}
			must(t, json.Unmarshal([]byte(line), &last))
		default:
			t.Errorf("unknown event type %q", event.Type)
		}
	}
	for id, n := range called {
		if n != 1 || finished[id] != 1 {
			t.Errorf("call %q was called %d times and finished %d times", id, n, finished[id])
		}
	}
	streamed := strings.TrimSpace(text.String()) == strings.TrimSpace(last.Answer)
	if (last.Stop.Reason == "done" || last.Stop.Reason == "error") && !streamed {
		t.Errorf("the text events are %q, and the answer is %q", text.String(), last.Answer)
	}
	return last
}

func TestAnswerWithoutThinking(t *testing.T) {
	w := newWorld(t)
	r, _ := w.ask("[[think]] hard")
	if want := "Done thinking: the answer is 42."; strings.TrimSpace(r.Answer) != want {
		t.Errorf("the answer is %q, want %q", r.Answer, want)
	}
}

func TestToolResults(t *testing.T) {
	for _, test := range []ending{
		{reason: "done", question: "[[marker]] in a result", calls: "ok", answer: "The result reached me."},
		{reason: "done", question: "[[recovers]] please", calls: "error ok", answer: "The second tool worked."},
		{reason: "iterations", question: "[[same-call]] please", code: 4, calls: "ok cached cached skipped skipped"},
	} {
		w := newWorld(t)
		r, out := w.ask(test.question)
		test.check(t, r, out)
	}
	r, _ := newWorld(t).ask("[[two-tools]] please")
	if r.statuses() != "ok ok" || r.Rounds != 1 || !strings.Contains(r.ToolCalls[0].Result, "left hand") {
		t.Errorf("rounds %d, calls %+v, want both calls in one round and in order", r.Rounds, r.ToolCalls)
	}
}

func TestApprovalWithoutScreen(t *testing.T) {
	w := newWorld(t)
	r, out := w.ask("[[write]] a file")
	if out.code != 5 || r.Stop.Reason != "denied" || r.statuses() != "denied" {
		t.Fatalf("exit code %d, calls %+v, want a denied one", out.code, r.ToolCalls)
	}
	if text := r.ToolCalls[0].Result + r.ToolCalls[0].Error; !strings.Contains(text, "approv") {
		t.Errorf("the result is %q, want the reason", text)
	}
	if _, err := os.Stat(w.home + "/notes/written.txt"); err == nil {
		t.Error("the file was written")
	}
	r, _ = w.ask("[[write]] a file", "--yes")
	if r.statuses() != "ok" {
		t.Errorf("with --yes the calls are %+v, want a successful one", r.ToolCalls)
	}
}
