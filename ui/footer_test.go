package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
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
		d.sees("context 500/about 32k")
	})
}

func TestFooterAfterStop(t *testing.T) {
	long := chunks(0, strings.Repeat("A long answer. ", 400))
	model := says(counted("Hello.", 480), append(long, providertest.Step{Block: true}), counted("Well.", 2600))
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("context 500/8.2k")
		d.typeText("Tell me more\n").wait(5 * time.Second)
		d.press("esc").wait(time.Second)
		d.sees("context about 2.")
		d.typeText("Go on\n").wait(5 * time.Second)
		d.sees("context 2.6k/8.2k")
	})
}

func TestFooterAfterModelSwitch(t *testing.T) {
	model := says(counted("Hello.", 480), counted("Hello again.", 900))
	model.Models = []provider.Info{
		{Name: "test:8b", Tools: true, Context: 32768}, {Name: "other:1b", Tools: true, Context: 4096},
	}
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("context 500/8.2k")
		d.typeText("/model other:1b\n").wait(time.Second)
		d.sees("other:1b")
		d.seesNot("context ") // the models count differently
		d.typeText("/model test:8b\n").wait(time.Second)
		d.sees("context 500/8.2k")
		d.typeText("/model other:1b\n").wait(time.Second)
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("context 920/4.1k")
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
		d.sees("context 6k/8.2k")
		d.typeText("/compact\n").wait(5 * time.Second)
		d.sees("context about 4k/8.2k")
		d.typeText("/compact\n").wait(5 * time.Second)
		d.sees("Nothing to compact", "context about 4k/8.2k")
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
		"the same model": {want: "context 500/8.2k"},
		"its other name": {with: "test:8b:latest", want: "context 500/8.2k"},
		"another model":  {with: "other:1b"},
		"a stopped turn": {want: "context about ", then: func(d *driver) {
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
					d.seesNot(" · context ")
				} else {
					d.sees(test.want)
				}
			})
		})
	}
}
