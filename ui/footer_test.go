package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
)

// counted is a reply for which the server counted the tokens of the prompt.
func counted(text string, prompt int) providertest.Reply {
	return providertest.Reply{
		{Wait: time.Second, Text: text}, {Usage: provider.Usage{PromptTokens: prompt, AnswerTokens: 20}},
	}
}

func TestFooterMarksAssumedContext(t *testing.T) {
	model := says(counted("Hello.", 480))
	model.Models = []provider.Info{{Name: "test:8b", Tools: true, Fixed: true}}
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("/tools\n")
		d.sees("of about 32k tokens")
		d.press("esc")
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("▰▱▱▱▱▱ 2% of about 32k")
	})
}

func TestFooterAfterStop(t *testing.T) {
	long := chunks(0, strings.Repeat("A long answer. ", 400))
	model := says(counted("Hello.", 480), append(long, providertest.Step{Block: true}), counted("Well.", 2600))
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("▰▱▱▱▱▱ 7% of 8.2k")
		d.typeText("Tell me more\n").wait(5 * time.Second)
		d.press("esc").wait(time.Second)
		d.sees("▰▰▱▱▱▱ about ")
		d.typeText("Go on\n").wait(5 * time.Second)
		d.sees("▰▰▱▱▱▱ 32% of 8.2k")
	})
}

func TestFooterAfterModelSwitch(t *testing.T) {
	model := says(counted("Hello.", 480), counted("Hello again.", 900))
	model.Models = []provider.Info{
		{Name: "test:8b", Tools: true, Context: 32768}, {Name: "other:1b", Tools: true, Context: 4096},
	}
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("▰▱▱▱▱▱ 7% of 8.2k")
		d.typeText("/model other:1b\n").wait(time.Second)
		d.sees("other:1b")
		d.seesNot("▱") // the models count differently
		d.typeText("/model test:8b\n").wait(time.Second)
		d.sees("▰▱▱▱▱▱ 7% of 8.2k")
		d.typeText("/model other:1b\n").wait(time.Second)
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("▰▱▱▱▱▱ 23% of 4.1k")
	})
}

// TestFooterAfterCompaction checks that the tools, which the next request has too, are part of the estimate.
func TestFooterAfterCompaction(t *testing.T) {
	model := says(counted(strings.Repeat("A long answer. ", 400), 4000), counted("Short.", 6000))
	model.Summary = chunks(0, "They talked.")
	o := with(model)
	tools := library(3000) // about 3,500 tokens
	o.Tools, o.Chat.Tools = tools, tools
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("First?\n").wait(5 * time.Second)
		d.typeText("Second?\n").wait(5 * time.Second)
		d.sees("▰▰▰▰▱▱ 74% of 8.2k")
		d.typeText("/compact\n").wait(5 * time.Second)
		d.sees("▰▰▰▱▱▱ about ")
		d.typeText("/compact\n").wait(5 * time.Second)
		d.sees("Nothing to compact", "▰▰▰▱▱▱ about ")
	})
}

func TestFooterAfterResume(t *testing.T) {
	hello := counted("Hello.", 480)
	appended := func(m ...provider.Message) func(r *session.Recorder) error {
		return func(r *session.Recorder) error { return r.Record(event.Appended{Messages: m}) }
	}
	for name, test := range map[string]struct {
		then func(d *driver)                 // after the first turn
		end  func(r *session.Recorder) error // after the chat
		with string                          // the model
		want string                          // "" for no use of the context
	}{
		"the same model": {want: "▰▱▱▱▱▱ 7% of 8.2k"},
		"its other name": {with: "test:8b:latest", want: "▰▱▱▱▱▱ 7% of 8.2k"},
		"another model":  {with: "other:1b"},
		"a stopped turn": {want: "▱ about ", then: func(d *driver) {
			d.typeText("More\n").wait(2 * time.Second)
			d.press("esc").wait(time.Second)
		}},
		"killed in a turn":  {end: appended(provider.Message{Role: provider.RoleUser, Text: "More"})},
		"after compacting":  {end: appended(summary(0, 2))},
		"a turn taken back": {end: func(r *session.Recorder) error { return r.Rewind(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			store := session.Open(t.TempDir())
			o := with(says(hello, providertest.Reply{{Text: "Half"}, {Block: true}}))
			o.Recorder = store.New()
			drive(t, 100, 24, o, func(d *driver) {
				d.typeText("Hi\n").wait(5 * time.Second)
				if test.then != nil {
					test.then(d)
				}
				if test.end != nil {
					if err := test.end(o.Recorder); err != nil {
						t.Error(err)
					}
				}
			})
			r, conv, err := store.Resume("")
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			o = with(says())
			o.Recorder, o.Conversation = r, conv
			if test.with != "" {
				o.Chat.Name = test.with
			}
			drive(t, 100, 24, o, func(d *driver) {
				d.wait(time.Second)
				if test.want == "" {
					d.seesNot("▱")
				} else {
					d.sees(test.want)
				}
			})
		})
	}
}

// TestFooterLosesWhatMattersLeast narrows a row until the context and the key that stops are left.
func TestFooterLosesWhatMattersLeast(t *testing.T) {
	f := footer{model: "test:8b", fill: provider.Fill{Tokens: 1200, Window: provider.Window{Tokens: 8192}}}
	f.setFolder("~/notes")
	f.setServers([]mcpclient.ServerStatus{
		{Name: "github", State: mcpclient.ServerFailed}, {Name: "drive", State: mcpclient.ServerNeedsLogin},
	})
	busy := hints{"enter queues · esc stops", "esc stops", "esc stops"}
	st := look.New(nil)
	for width, want := range map[int]string{
		120: "test:8b · ▰▱▱▱▱▱ 15% of 8.2k · ~/notes · github failed, drive needs login|enter queues · esc stops",
		95:  "test:8b · ▰▱▱▱▱▱ 15% of 8.2k · ~/notes · github failed, drive needs login|esc stops",
		80:  "test:8b · ▰▱▱▱▱▱ 15% of 8.2k · github failed, drive needs login|esc stops",
		70:  "test:8b · ▰▱▱▱▱▱ 15% of 8.2k · github failed, 1 more|esc stops",
		59:  "15% of 8.2k · github failed, 1 more|esc stops",
		45:  "15% of 8.2k|esc stops",
		40:  "15% of 8.2k|esc stops",
		24:  "15% of 8.2k|",
		12:  "15% of …|",
		0:   "|",
	} {
		row := f.view(width, &st, "test:8b", "test:8b", busy)
		left, right, _ := strings.Cut(strings.TrimSpace(ansi.Strip(row)), "  ")
		if got := left + "|" + strings.TrimSpace(right); got != want {
			t.Errorf("at %d cells the row is %q, not %q", width, got, want)
		}
		if wide := ansi.StringWidth(row); wide > max(2, width-2) {
			t.Errorf("at %d cells the row has %d", width, wide)
		}
	}
}

func TestFooterShowsFullContextInColour(t *testing.T) {
	st := look.New(nil)
	for tokens, want := range map[int]string{
		1:    st.Dim.Render("▰▱▱▱▱▱ 1% of 1k"),
		690:  st.Dim.Render("▰▰▰▰▱▱ 69% of 1k"),
		700:  st.Warn.Render("▰▰▰▰▱▱ 70% of 1k"),
		899:  st.Err.Render("▰▰▰▰▰▱ 90% of 1k"),
		1100: st.Err.Render("▰▰▰▰▰▰ 110% of 1k"), // the window has shrunk
	} {
		f := footer{model: "m", fill: provider.Fill{Tokens: tokens, Window: provider.Window{Tokens: 1000}}}
		if got := f.context("m", 80, &st); got != want {
			t.Errorf("%d tokens: %q, not %q", tokens, got, want)
		}
	}
}

func TestFooterShowsFolder(t *testing.T) {
	for folder, want := range map[string]string{
		"~/notes":                             "· ~/notes",
		"/srv/data/of/many/projects/\x1b[2Jx": "· [2Jx",
		"~/" + strings.Repeat("long", 20):     "· longlonglonglonglon…",
	} {
		o := with(says())
		o.Here = func() Here { return Here{Folder: folder} }
		drive(t, 100, 24, o, func(d *driver) { d.sees("test:8b " + want) })
	}
}

// TestFooterSaysWhatKeysDo follows the keys through a conversation.
func TestFooterSaysWhatKeysDo(t *testing.T) {
	model := says(chunks(time.Second, strings.Repeat("One.\n\n", 40)), chunks(9*time.Second, "Two."))
	drive(t, 100, 24, with(model), func(d *driver) {
		d.sees("/ commands · ? help")
		d.typeText("/t")
		d.sees("1 of 4 · tab completes · esc hides")
		d.clear()
		d.typeText("go")
		d.sees("enter sends · ctrl+j new line")
		d.typeText("\n").wait(3 * time.Second)
		d.sees("/ commands · ? help")
		d.press("pgup")
		d.sees("pgup · pgdown scroll · ? help")
		d.typeText("on\n").wait(time.Second)
		d.sees("esc stops", "? why")
		d.typeText("x")
		d.sees("enter queues")
		d.press("enter").wait(time.Second)
		d.sees("up edits · tab sends with the next request")
		if n := strings.Count(d.screen(), "esc stops"); n != 1 {
			d.t.Errorf("the screen says esc stops %d times:\n%s", n, d.screen())
		}
		d.press("esc").wait(time.Second)
		d.sees("enter sends the queue · up edits")
		d.press("up")
		d.sees("enter sends")
		d.clear()
		d.sees("/continue goes on")
	})
}
