//go:build e2e && unix

package e2e

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// reached is the model's answer once the text of proof.txt was returned to it.
const reached = "The result reached me"

// A weakness is a mistake of small models, played through a real server, and its outcome.
type weakness struct {
	model    string // tinymodel.Full when empty
	script   string
	settings string // more configuration
	args     []string
	faults   map[int]fault // by number of the request, from 0

	reason   string // "done" when empty
	calls    string // statuses of the tool calls
	answer   string // beginning of the answer
	repairs  string // part of a call's repairs
	result   string // part of a call's result
	detail   string // part of stop.detail
	stderr   string // part of standard error
	requests int    // number of requests; 0 means any
}

func weaknesses() []weakness {
	var list []weakness
	for _, form := range []string{"object", "fence", "tag", "json", "bracket", "args", "python"} {
		list = append(list, weakness{script: "printed-" + form, model: tinymodel.Raw, calls: "ok", answer: reached})
	}
	return append(list, []weakness{
		{script: "printed-object", model: tinymodel.Tools, calls: "ok", answer: reached},
		{script: "printed-function", model: tinymodel.Tools, calls: "ok", answer: reached},
		{script: "printed-two", model: tinymodel.Raw, calls: "ok ok", answer: reached},
		{model: tinymodel.Raw, script: "object-answer", answer: `{"name": "Ada"`},

		{script: "wrong-type", calls: "ok", answer: reached, repairs: "head"},
		{script: "list-in-string", calls: "ok", answer: reached, repairs: "paths"},
		{script: "one-for-list", calls: "ok", answer: reached, repairs: "paths"},
		{script: "missing-argument", calls: "error ok", answer: reached, result: "path"},

		{model: tinymodel.Loose, script: "name-in-capitals", calls: "ok", answer: reached},
		{model: tinymodel.Loose, script: "name-alone", calls: "ok", answer: reached},
		{model: tinymodel.Loose, script: "name-invented", calls: "error ok", answer: reached,
			result: "notes__read_text_file"},

		{script: "call-swallowed", calls: "ok", answer: reached, requests: 3},
		{script: "name-swallowed", calls: "ok", answer: reached, requests: 3},
		{model: tinymodel.Loose, script: "garbled", faults: map[int]fault{0: failParsing, 1: failParsing}, calls: "ok",
			answer: reached, requests: 4},

		{script: "empty", requests: 2, reason: "gave_up", detail: "empty answer"},
		{script: "silent-reader", calls: "ok", answer: "I looked into the silence.", requests: 3},
		{script: "talks-first", calls: "ok", answer: "Let me see."},
		{script: "only-thought", answer: "The number is forty-two."},
		{script: "muses", settings: "limits.thinking_tokens = 256", answer: "I am done with thinking.", requests: 2,
			stderr: "limits.thinking_tokens"},

		{script: "muses-on", settings: "limits.thinking_tokens = 256", reason: "gave_up", detail: "only thought"},
		{script: "muses", settings: "context = 2048", answer: "I am done with thinking."},

		{model: tinymodel.Tools, script: "thought-in-text", answer: "This is the visible answer."},
		{model: tinymodel.Tools, args: []string{"--no-tools"}, script: "thought-in-text",
			answer: "This is the visible answer."},
		{model: tinymodel.Tools, script: "thought-unclosed", answer: "This is what I meant to say."},
		{model: tinymodel.Tools, script: "thought-closed", answer: "This is the answer behind it."},

		{script: "stumbles", faults: breaks, answer: "Briefly: it ends well.", requests: 3},
		{script: "stuck", reason: "length", detail: "the answer repeats itself", answer: "Now I repeat", requests: 1},
		{script: "tool", faults: map[int]fault{0: dropConnection}, calls: "ok", answer: "The tool repeated it.", requests: 3},
		{script: "twice", calls: "ok cached", answer: "Twice is enough."},
		{script: "thrice", calls: "ok cached cached", answer: "Three times is too much."},

		{script: "large", settings: "context = 8192", calls: "ok", answer: "The end of it reached me."},
		{script: "hard", settings: "context = 8192", calls: "ok", answer: "The end of it reached me."},
		{script: "parts", settings: "context = 8192", calls: "ok ok ok", answer: "All parts reached me.", requests: 4},
	}...)
}

// breaks are the faults of a reply that breaks off twice.
var breaks = map[int]fault{0: breakReply, 1: breakReply}

func TestWeakModels(t *testing.T) {
	for _, weak := range weaknesses() {
		t.Run(weak.script+" "+weak.model, func(t *testing.T) {
			w := newWorld(t)
			w.settings = weak.settings
			w.configureForWeakModels()
			w.traffic.faults = func(request int) fault { return weak.faults[request] }
			r, out := w.ask("[["+weak.script+"]] please", append(weak.args, "--model", cmp.Or(weak.model, tinymodel.Full))...)
			weak.check(t, r, out)
			if n := len(w.traffic.requests()); weak.requests > 0 && n != weak.requests {
				t.Errorf("%d requests, want %d", n, weak.requests)
			}
		})
	}
}

// TestWeakModelsInStream checks that the stream has the same answer and nothing that should be hidden.
func TestWeakModelsInStream(t *testing.T) {
	for _, test := range []struct{ script, model, hidden string }{
		{"printed-fence", tinymodel.Raw, "```"},
		{"printed-function", tinymodel.Raw, "<function"},
		{"thought-in-text", tinymodel.Tools, "<think>"},
		{"thought-closed", tinymodel.Tools, "</think>"},
		{"silent-reader", tinymodel.Full, "Your answer was empty"},
		{"talks-first", tinymodel.Full, "<tool_call>"},
		{"stumbles", tinymodel.Full, "broke off"},
	} {
		t.Run(test.script, func(t *testing.T) {
			w := newWorld(t)
			w.configureForWeakModels()
			if test.script == "stumbles" {
				w.traffic.faults = func(request int) fault { return breaks[request] }
			}
			out := w.run("--model", test.model, "--output", "stream-json", "-p", "[["+test.script+"]] please")
			if r := checkEvents(t, out); r.Stop.Reason != "done" || r.Answer == "" {
				t.Errorf("the turn ended as %q with the answer %q\nstderr: %s", r.Stop.Reason, r.Answer, out.stderr)
			}
			for line := range strings.Lines(out.stdout) {
				if strings.HasPrefix(line, `{"type":"text"`) && strings.Contains(line, test.hidden) {
					t.Errorf("the answer shows %q: %s", test.hidden, line)
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
		t.Errorf("stop %+v, want %q (%s)\nstderr: %s", r.Stop, want, weak.detail, out.stderr)
	}
	if !strings.Contains(out.stderr, weak.stderr) {
		t.Errorf("standard error lacks %q:\n%s", weak.stderr, out.stderr)
	}
	if got := r.statuses(); got != weak.calls {
		t.Errorf("the calls are %q, want %q: %+v", got, weak.calls, r.ToolCalls)
	}
	if !strings.HasPrefix(strings.TrimSpace(r.Answer), weak.answer) {
		t.Errorf("the answer is %q, want the prefix %q\nstderr: %s", r.Answer, weak.answer, out.stderr)
	}
	var repairs, results []string
	for _, c := range r.ToolCalls {
		repairs, results = append(repairs, c.Repairs...), append(results, c.Result)
	}
	if !strings.Contains(strings.Join(repairs, "\n"), weak.repairs) {
		t.Errorf("no call has the repair %q: %+v", weak.repairs, r.ToolCalls)
	}
	if !strings.Contains(strings.Join(results, "\n"), weak.result) {
		t.Errorf("no result has %q: %+v", weak.result, r.ToolCalls)
	}
}
