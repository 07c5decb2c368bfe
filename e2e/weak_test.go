//go:build e2e && unix

package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// reached is the model's answer once the text of proof.txt was returned to it.
const reached = "The result reached me"

// A weakness is a mistake of small models, played through a real server, and its outcome.
type weakness struct {
	story  string // what the model does
	model  string // tinymodel.Full when empty
	plays  string // the script
	set    string // more configuration
	args   []string
	faults map[int]fault // by number of the request, from 0

	reason  string // "done" when empty
	calls   string // statuses of the tool calls
	answer  string // beginning of the answer
	repairs string // part of a call's repairs
	told    string // part of a call's result
	detail  string // part of stop.detail
	says    string // part of standard error
	asks    int    // number of requests; 0 means any
}

func weaknesses() []weakness {
	return []weakness{
		{story: "prints an object", model: tinymodel.Raw, plays: "printed-object", calls: "ok", answer: reached},
		{story: "prints an object, and its server knows another form", model: tinymodel.Tools, plays: "printed-object", calls: "ok", answer: reached},
		{story: "prints an object in a fence", model: tinymodel.Raw, plays: "printed-fence", calls: "ok", answer: reached},
		{story: "prints a tag", model: tinymodel.Raw, plays: "printed-tag", calls: "ok", answer: reached},
		{story: "prints a function with parameters", model: tinymodel.Tools, plays: "printed-function", calls: "ok", answer: reached},
		{story: "prints a function with an object", model: tinymodel.Raw, plays: "printed-json", calls: "ok", answer: reached},
		{story: "prints a list in brackets", model: tinymodel.Raw, plays: "printed-bracket", calls: "ok", answer: reached},
		{story: "prints a name in brackets", model: tinymodel.Raw, plays: "printed-args", calls: "ok", answer: reached},
		{story: "prints a tag for code", model: tinymodel.Raw, plays: "printed-python", calls: "ok", answer: reached},
		{story: "prints two objects", model: tinymodel.Raw, plays: "printed-two", calls: "ok ok", answer: reached},
		{story: "answers with an object that is no call", model: tinymodel.Raw, plays: "object-answer", answer: `{"name": "Ada"`},

		{story: "writes a number as text", plays: "wrong-type", calls: "ok", answer: reached, repairs: "head"},
		{story: "writes a list as text", plays: "list-in-string", calls: "ok", answer: reached, repairs: "paths"},
		{story: "writes one value where a list belongs", plays: "one-for-list", calls: "ok", answer: reached, repairs: "paths"},
		{story: "leaves an argument out", plays: "missing-argument", calls: "error ok", answer: reached, told: "path"},

		{story: "writes a name in capitals", model: tinymodel.Loose, plays: "name-in-capitals", calls: "ok", answer: reached},
		{story: "writes a name without its server", model: tinymodel.Loose, plays: "name-alone", calls: "ok", answer: reached},
		{story: "invents a name", model: tinymodel.Loose, plays: "name-invented", calls: "error ok", answer: reached, told: "notes__read_text_file"},

		{story: "makes a call that its server cannot read", plays: "call-swallowed", calls: "ok", answer: reached, asks: 3},
		{story: "makes a call whose name its server does not know", plays: "name-swallowed", calls: "ok", answer: reached, asks: 3},
		{story: "makes a call over which its server fails", model: tinymodel.Loose, plays: "garbled", faults: map[int]fault{0: failParsing, 1: failParsing},
			calls: "ok", answer: reached, asks: 4},

		{story: "says nothing", plays: "empty", asks: 2, reason: "gave_up", detail: "empty answer"},
		{story: "says nothing after a tool", plays: "silent-reader", calls: "ok", answer: "I looked into the silence.", asks: 3},
		{story: "says nothing after a tool, but did before", plays: "talks-first", calls: "ok", answer: "Let me see."},
		{story: "only thinks", plays: "only-thought", answer: "The number is forty-two."},
		{story: "thinks for ever", plays: "muses", set: "limits.thinking_tokens = 256", answer: "I am done with thinking.", asks: 2, says: "limits.thinking_tokens"},

		{story: "thinks for ever, also when told", plays: "muses-on", set: "limits.thinking_tokens = 256", reason: "gave_up", detail: "only thought"},
		{story: "thinks until its context is full", plays: "muses", set: "context = 2048", answer: "I am done with thinking."},

		{story: "thinks in its answer", model: tinymodel.Tools, plays: "thought-in-text", answer: "This is the visible answer."},
		{story: "thinks in its answer, without any tools", model: tinymodel.Tools, args: []string{"--no-tools"}, plays: "thought-in-text",
			answer: "This is the visible answer."},
		{story: "thinks in its answer and does not say when it is done", model: tinymodel.Tools, plays: "thought-unclosed", answer: "This is what I meant to say."},
		{story: "forgets where its thought began", model: tinymodel.Tools, plays: "thought-closed", answer: "This is the answer behind it."},

		{story: "repeats itself", plays: "stumbles", answer: "Briefly: it ends well.", asks: 3},
		{story: "cannot stop to repeat itself", plays: "stuck", reason: "error", answer: "Now I repeat", asks: 3},
		{story: "loses the connection", plays: "tool", faults: map[int]fault{0: dropConnection}, calls: "ok", answer: "The tool repeated it.", asks: 3},
		{story: "calls twice", plays: "twice", calls: "ok cached", answer: "Twice is enough."},
		{story: "calls three times", plays: "thrice", calls: "ok cached cached", answer: "Three times is too much."},

		{story: "reads more than fits", plays: "large", set: "context = 8192", calls: "ok", answer: "The end of it reached me."},
		{story: "reads what has many more tokens than it seems", plays: "hard", set: "context = 8192", calls: "ok", answer: "The end of it reached me."},
		{story: "reads long results one after another", plays: "parts", set: "context = 8192", calls: "ok ok ok", answer: "All parts reached me.", asks: 4},
	}
}

func TestWeakModels(t *testing.T) {
	for _, weak := range weaknesses() {
		t.Run(weak.story, func(t *testing.T) {
			w := newWorld(t)
			w.settings = weak.set
			w.configureForWeakModels()
			w.traffic.faults = func(request int) fault { return weak.faults[request] }
			r, out := w.ask("[["+weak.plays+"]] please", append(weak.args, "--model", cmp.Or(weak.model, tinymodel.Full))...)
			weak.check(t, r, out)
			if n := len(w.traffic.requests()); weak.asks > 0 && n != weak.asks {
				t.Errorf("the model was asked %d times, want %d", n, weak.asks)
			}
		})
	}
}

// TestWeakModelsInStream checks that the stream has the same answer and nothing that should be hidden.
func TestWeakModelsInStream(t *testing.T) {
	for _, test := range []struct{ plays, model, never string }{
		{"printed-fence", tinymodel.Raw, "```"},
		{"printed-function", tinymodel.Raw, "<function"},
		{"thought-in-text", tinymodel.Tools, "<think>"},
		{"thought-closed", tinymodel.Tools, "</think>"},
		{"silent-reader", tinymodel.Full, "Your answer was empty"},
		{"talks-first", tinymodel.Full, "<tool_call>"},
		{"stumbles", tinymodel.Full, "broke off"},
	} {
		t.Run(test.plays, func(t *testing.T) {
			w := newWorld(t)
			w.configureForWeakModels()
			out := w.run("--model", test.model, "--output", "stream-json", "-p", "[["+test.plays+"]] please")
			if r := checkEvents(t, out); r.Stop.Reason != "done" || r.Answer == "" {
				t.Errorf("the turn ended as %q with the answer %q\nstderr: %s", r.Stop.Reason, r.Answer, out.stderr)
			}
			for line := range strings.Lines(out.stdout) {
				if strings.HasPrefix(line, `{"type":"text"`) && strings.Contains(line, test.never) {
					t.Errorf("the answer shows %q: %s", test.never, line)
				}
			}
		})
	}
}

// configureForWeakModels configures the servers that the scripts of weak models use, and the files they read.
func (w *world) configureForWeakModels() {
	w.t.Helper()
	w.write("notes/proof.txt", "[[proof]]\n")
	w.write("notes/lines.txt", "[[proof]]\n[[default]]\n")
	w.write("notes/silence.txt", "[[silence]]\n")
	w.write("notes/mute.txt", "[[mute]]\n")
	w.write("notes/large.txt", filler(60_000)+"[[tail]]\n")
	for part := 1; part <= 3; part++ {
		w.write(fmt.Sprintf("notes/part-%d.txt", part), filler(30_000)+"[[parts]]\n")
	}
	w.write("notes/hard.txt", strings.Repeat("☃", 6000)+" [[tail]]\n") // a token for each byte
	w.configure(w.traffic.URL, w.everything()+w.stdio("filesystem", w.home+"/notes")+
		"enabled_tools = [\"read_text_file\", \"read_multiple_files\", \"write_file\"]\n")
}

// filler is text of about n bytes that the model reads in few tokens.
func filler(n int) string {
	const line = "This is the next line of the long list of items, and nobody knows where the time goes.\n"
	return strings.Repeat(line, n/len(line))
}

func (weak weakness) check(t testing.TB, r result, out outcome) {
	t.Helper()
	if want := cmp.Or(weak.reason, "done"); r.Stop.Reason != want || !strings.Contains(r.Stop.Detail, weak.detail) {
		t.Errorf("the turn ended as %q (%s), want %q (%s)\nstderr: %s", r.Stop.Reason, r.Stop.Detail, want, weak.detail, out.stderr)
	}
	if !strings.Contains(out.stderr, weak.says) {
		t.Errorf("standard error does not say %q:\n%s", weak.says, out.stderr)
	}
	if got := r.statuses(); got != weak.calls {
		t.Errorf("the calls ended as %q, want %q: %+v", got, weak.calls, r.ToolCalls)
	}
	if !strings.HasPrefix(strings.TrimSpace(r.Answer), weak.answer) {
		t.Errorf("the answer is %q, want it to begin with %q\nstderr: %s", r.Answer, weak.answer, out.stderr)
	}
	if weak.repairs != "" && !slices.ContainsFunc(r.ToolCalls, func(c call) bool { return strings.Contains(strings.Join(c.Repairs, "\n"), weak.repairs) }) {
		t.Errorf("no call notes the repair of %q: %+v", weak.repairs, r.ToolCalls)
	}
	if weak.told != "" && !slices.ContainsFunc(r.ToolCalls, func(c call) bool { return strings.Contains(c.Result, weak.told) }) {
		t.Errorf("the model was not told about %q: %+v", weak.told, r.ToolCalls)
	}
}
