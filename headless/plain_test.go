package headless_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
)

// steady is a book in which loading the model m always takes the same time.
func steady(load time.Duration) *pace.Store {
	book := pace.Open("", "http://127.0.0.1:11434")
	book.NoteLoad("m", load)
	return book
}

// A log, a screen reader and a dumb terminal get one line per step, without animation.
func TestPlainLinePerStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := loop.Chat{Name: "m", System: strings.Repeat("Be brief. ", 1000), Pace: steady(14 * time.Second),
			Tools: tools{"clock__now": noon}}
		out, errs, _ := run(t, headless.Options{Parts: parts(chat)},
			providertest.Reply{
				{Phase: provider.PhaseLoading}, {Wait: 9 * time.Second, Phase: provider.PhaseReading}, {Wait: 2 * time.Second,
					Thinking: "Hm."},
				call("clock__now", "{}"), {Wait: time.Second},
			},
			providertest.Reply{{Wait: 3 * time.Second, Text: "Noon."}, {Usage: provider.Usage{AnswerTokens: 5}}})
		lines := strings.Split(errs, "\n")
		for i, want := range []string{
			"Analyzing request…", "Loading m, about 14s", "Reading ", "Thinking…", "Selecting appropriate tools…",
			"Using Now on clock…", "Processing tool results…", "Formulating response…", "✓ 1 tool", "",
		} {
			if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
				t.Errorf("line %d is not %q:\n%s", i, want, errs)
			}
		}
		if out != "Noon.\n" || strings.Contains(errs, "\x1b") {
			t.Errorf("got %q and %q", out, errs)
		}
	})
}

// work is a tool that reports progress.
type work func(tell func(mcpclient.Progress))

func (work) Tools() []mcpclient.Tool {
	return []mcpclient.Tool{{Name: "repo__index", Server: "repo", ServerTool: "index",
		Schema: json.RawMessage(`{"type":"object"}`), Trusted: true, ReadOnly: true}}
}

func (w work) Call(_ context.Context, _ mcpclient.Call, tell func(mcpclient.Progress)) (mcpclient.Result, error) {
	w(tell)
	return mcpclient.Result{Text: "done"}, nil
}

// indexing runs the tool and returns its lines.
func indexing(t *testing.T, w work) (lines []string) {
	t.Helper()
	o := headless.Options{Parts: parts(loop.Chat{Tools: w})}
	_, errs, code := run(t, o, providertest.Reply{call("repo__index", "{}")}, providertest.Reply{{Text: "Done."}})
	for line := range strings.Lines(errs) {
		if strings.Contains(line, "Index") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if code != 0 || strings.Contains(errs, "\x1b") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	return lines
}

func TestPlainProgressEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := indexing(t, func(tell func(mcpclient.Progress)) {
			for i := range 600 {
				tell(mcpclient.Progress{Done: float64(i), Message: fmt.Sprintf("\x1b[31mfile %d", i)})
				time.Sleep(100 * time.Millisecond)
			}
		})
		if len(lines) < 6 || len(lines) > 9 {
			t.Errorf("%d lines: %q", len(lines), lines)
		}
	})
}

// Lines that stay say once that a reply repeats itself.
func TestPlainRepetition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answer providertest.Reply
		for word := range strings.SplitAfterSeq(strings.Repeat("ha ", 300)+"and done.", " ") {
			answer = append(answer, providertest.Step{Text: word, Wait: time.Millisecond})
		}
		for _, tty := range []bool{false, true} {
			o := headless.Options{Plain: true, StdoutTTY: tty}
			if tty {
				o.StatusWidth = cells(80)
			}
			_, errs, code := run(t, o, answer)
			if strings.Count(errs, "Formulating response · repeats itself\n") != 1 || code != 0 {
				t.Errorf("terminal %v: exit code %d, %q", tty, code, errs)
			}
		}
	})
}

// The last progress is reported at the end, even if no event follows it.
func TestPlainDelayedProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := indexing(t, func(tell func(mcpclient.Progress)) {
			for _, done := range []float64{1, 2, 3} {
				tell(mcpclient.Progress{Done: done})
				time.Sleep(time.Second)
			}
			time.Sleep(20 * time.Second)
		})
		if last := lines[len(lines)-1]; len(lines) != 2 || !strings.HasSuffix(last, "· 3") {
			t.Errorf("%q", lines)
		}
	})
}

func TestPlainSilenceOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, errs, _ := run(t, headless.Options{Parts: parts(loop.Chat{Interactive: true})}, providertest.Reply{
			{Thinking: "Hm."}, {Wait: 90 * time.Second, Thinking: "Well."}, {Wait: 30 * time.Second,
				Thinking: "So."}, {Wait: 5 * time.Second, Text: "Noon."}})
		if n := strings.Count(errs, "No output"); n != 2 || !strings.Contains(errs, "\nNo output for 10s\n") ||
			strings.Count(errs, "Thinking…\n") != 1 {
			t.Errorf("two silences are told %d times:\n%s", n, errs)
		}
	})
}

func TestPlainStopped(t *testing.T) {
	for cause, words := range map[error]string{nil: "Stopped by you", event.BySignal: "Stopped by a signal"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(3*time.Second, func() { cancel(cause) })
			var out, errs strings.Builder
			model := &providertest.Script{Replies: []providertest.Reply{{{Text: "I begin"}, {Block: true}}}}
			o := headless.Options{Parts: parts(loop.Chat{Model: model, Name: "m"}), Stdout: &out, Stderr: &errs}
			code := headless.Answer(ctx, o, "hi")
			if code != 130 || out.String() != "I begin\n" || !strings.Contains(errs.String(), "\n■ "+words+" · ") ||
				strings.Count(errs.String(), "topped") != 1 {
				t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
			}
		})
	}
	out, errs, code := run(t, headless.Options{}, providertest.Reply{{Text: "[cannot] I have no clock."}})
	if code != 5 || out != "I have no clock.\n" || !strings.Contains(errs,
		"\n■ Stopped: the model says that it cannot do this · ") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

func TestPlainEachTurn(t *testing.T) {
	down := providertest.Reply{{Err: &provider.Error{Kind: provider.KindUnavailable, Text: "no server"}}}
	_, errs, _ := talk(t, headless.LinesOptions{}, "one\ntwo\n", down, down)
	if want := "Analyzing request…\naloud: no server\n  /retry asks again\n"; errs != want+want {
		t.Errorf("got %q", errs)
	}
}

// A sentence that changes with every word must not flood the output.
func TestPlainLinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reply providertest.Reply
		for range 5000 {
			reply = append(reply, providertest.Step{Thinking: "Hm."}, providertest.Step{Text: "So. "},
				providertest.Step{Wait: time.Millisecond})
		}
		_, errs, _ := run(t, headless.Options{}, reply)
		if n := strings.Count(errs, "\n"); n > 310 {
			t.Errorf("%d lines", n)
		}
	})
}

func TestQuiet(t *testing.T) {
	for _, terminal := range []func() int{nil, cells(80)} {
		synctest.Test(t, func(t *testing.T) {
			o := headless.Options{Quiet: true, StatusWidth: terminal}
			out, errs, _ := run(t, o, providertest.Reply{{Wait: time.Minute, Text: "Half"}, {Done: "length"}})
			if out != "Half\n" || !strings.HasPrefix(errs, "The model server's limit ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("got %q, %q", out, errs)
			}
		})
	}
}

// Programs may read both streams as one.
func TestJSONWithoutStatusLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := providertest.Reply{{Wait: 30 * time.Second, Thinking: "Hm."}, {Text: "Noon."}}
		for _, format := range []headless.Format{headless.FormatJSON, headless.FormatStreamJSON} {
			if _, errs, _ := run(t, headless.Options{Format: format}, reply); errs != "" {
				t.Errorf("%s has %q beside it", format, errs)
			}
		}
		if _, errs, _ := run(t, headless.Options{Format: headless.FormatJSON, StatusWidth: cells(80), Plain: true},
			reply); errs == "" {
			t.Error("a terminal shows no status while the object is made")
		}
	})
}

// On a terminal, streamed text is not broken by the plain lines.
func TestPlainLinesKeepStreamedText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		model := &providertest.Script{Replies: []providertest.Reply{
			{{Text: "I look. "}, call("clock__now", "{}")},
			{{Text: "It is "}, {Wait: 30 * time.Second, Text: "noon,\n"}, {Wait: 30 * time.Second, Text: "I think."}},
		}}
		o := headless.Options{
			Parts:  parts(loop.Chat{Model: model, Name: "m", Tools: tools{"clock__now": noon}}),
			Stdout: &screen, StdoutTTY: true, Stderr: &screen, StatusWidth: cells(60), Plain: true,
		}
		headless.Answer(t.Context(), o, "hi")
		want := "I look. \n\nUsing Now on clock…\nIt is noon,\nNo output for 10s\nI think.\n✓ "
		if got := screen.String(); !strings.HasPrefix(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// On a terminal, a step that ends at once gets no line, but a tool always gets one. A log gets all lines.
func TestPlainLinesOfShortSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		for name, test := range map[string]struct {
			width func() int
			want  string
		}{
			"terminal": {cells(80), "Analyzing request…\nUsing Now on clock…\nUsing Now on clock…\n" +
				"Processing tool results…\nThinking…\n✓ "},
			"log": {nil, "Analyzing request…\nThinking…\nSelecting appropriate tools…\nUsing Now on clock…\n" +
				"Processing tool results…\nSelecting appropriate tools…\nUsing Now on clock…\n" +
				"Processing tool results…\nThinking…\nFormulating response…\n✓ "},
		} {
			o := headless.Options{Parts: parts(loop.Chat{Tools: tools{"clock__now": noon}}),
				Plain: true, StatusWidth: test.width}
			_, errs, _ := run(t, o,
				providertest.Reply{{Wait: 160 * ms, Thinking: "Hm."}, {Wait: 140 * ms, Calls: call("clock__now", "{}").Calls}},
				providertest.Reply{{Wait: 140 * ms, Calls: call("clock__now", `{"zone":"UTC"}`).Calls}},
				providertest.Reply{{Wait: 200 * ms, Thinking: "Hm."}, {Wait: 200 * ms, Text: "Noon."}, {Wait: 140 * ms}})
			if !strings.HasPrefix(errs, test.want) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, errs, test.want)
			}
		}
	})
}

// The model's sentence before a call is left out only where it stands above.
func TestSentenceBeforeCall(t *testing.T) {
	const name, sentence = "Using Now on clock…", `Now on clock · "Let me look at the clock"`
	for label, test := range map[string]struct {
		o    headless.Options
		want string
	}{
		"log":                     {headless.Options{}, sentence},
		"log of a terminal":       {headless.Options{StdoutTTY: true}, sentence},
		"pipe to another program": {headless.Options{StatusWidth: cells(80), Plain: true}, sentence},
		"terminal":                {headless.Options{StdoutTTY: true, StatusWidth: cells(80), Plain: true}, name},
		"JSON on a terminal": {headless.Options{StdoutTTY: true, StatusWidth: cells(80), Plain: true,
			Format: headless.FormatJSON}, sentence},
	} {
		o := test.o
		o.Style, o.Chat = status.StyleSentence, loop.Chat{Tools: tools{"clock__now": noon}}
		_, errs, _ := run(t, o, providertest.Reply{{Text: "Let me look at the clock."}, call("clock__now", "{}")},
			providertest.Reply{{Text: "Noon."}})
		if !strings.Contains(errs, test.want+"\n") || strings.Contains(errs, name) != (test.want == name) {
			t.Errorf("%s: got\n%s\nwant %q", label, errs, test.want)
		}
	}
}

// A sentence is printed when it arrives, also after progress.
func TestPlainSentenceAfterProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reporting := work(func(tell func(mcpclient.Progress)) {
			for done := range 90 {
				tell(mcpclient.Progress{Done: float64(done), Total: 90})
				time.Sleep(100 * time.Millisecond)
			}
		})
		model := &providertest.Script{Models: []provider.Info{{Name: "m", Tools: true, Context: 32768}},
			Replies: []providertest.Reply{{call("repo__index", "{}")}, {{Text: "Done."}}},
			Quick:   []providertest.Reply{{{Wait: time.Second, Text: "Indexing the repository"}}}}
		var out, errs strings.Builder
		o := headless.Options{Stdout: &out, Stderr: &errs,
			Parts: live.Parts{Style: status.StyleSentence, Chat: loop.Chat{Model: model, Name: "m", Tools: reporting}}}
		headless.Answer(t.Context(), o, "go")
		var lines []string
		for line := range strings.Lines(errs.String()) {
			if strings.Contains(line, "Index") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		if len(lines) != 2 || !strings.HasSuffix(lines[1], `"Indexing the repository"`) {
			t.Errorf("got %q", lines)
		}
	})
}
