package ui

import (
	"context"
	"iter"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/dialog"
)

// closed is a library that cannot download models.
type closed struct {
	*providertest.Script
	err error
}

func (c *closed) Pull(context.Context, string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		if yield(provider.PullProgress{Status: "pulling manifest"}, nil) {
			yield(provider.PullProgress{}, c.err)
		}
	}
}

func TestDownloadFails(t *testing.T) {
	model := &closed{says(), &provider.Error{Text: "the library cannot be reached", Hint: "check the network"}}
	model.Models = []provider.Info{{Name: "small:1b", Tools: true}}
	o := with(model)
	o.Chat.Name = "big:70b"
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.sees("Download big:70b")
		d.press("enter").wait(second)
		d.sees("The library cannot be reached. Check the network.", "Download big:70b", "Choose another model")
	})
	o.Chat.Name = "small:1b"
	drive(t, 80, 24, o, func(d *driver) { // a model in use stays
		d.typeText("/model\n").wait(second)
		d.typeText("big:70b\n").wait(second)
		d.sees("✗ The library cannot be reached. Check the network.", "small:1b")
		d.seesNot("Downloading")
	})
}

func TestServerDoesNotStart(t *testing.T) {
	model := says()
	model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers"}
	o := with(model)
	o.StartServer = func(context.Context) error {
		return &provider.Error{Kind: provider.KindUnavailable, Text: "it is not installed", Hint: "install it from the web",
			Err: exec.ErrNotFound}
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.press("enter").wait(second)
		d.sees("It is not installed. Install it from the web.", "Try again")
		d.seesNot("Start Ollama") // which would lead to this dialog again
		d.press("esc")
		d.typeText("Hi\n").wait(second)
		d.sees("Queued: Hi", "No model server")
		d.press("esc", "backspace") // takes it back
		d.sees("› Hi")
		d.seesNot("Queued")
	})
}

func TestQuitWithoutModel(t *testing.T) {
	model := says()
	model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers"}
	drive(t, 80, 24, with(model), func(d *driver) {
		d.wait(second)
		d.press("end")
		d.sees("› Quit")
		d.send(tea.KeyPressMsg{Code: tea.KeyEnter})
		quits := false
		d.watch(second, func(msg tea.Msg) { quits = quits || msg == tea.Quit() })
		if !quits {
			t.Error("Quit does not quit")
		}
	})
}

func TestModelInUseIsMarked(t *testing.T) {
	model := says()
	model.Models = []provider.Info{{Name: "other:1b"}, {Name: "small:latest"}}
	o := with(model)
	o.Chat.Name = "small:latest"
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.sees("    other:1b", "› ● small:latest")
		d.typeText("small")
		d.seesNot("↓") // an installed model is not downloaded
		d.typeText("er")
		d.sees("↓ smaller", "download")
	})
}

// TestFilterTooLong checks that the list is filtered and drawn for each key, and that the end of a long filter is
// visible while you type.
func TestFilterTooLong(t *testing.T) {
	drive(t, 40, 24, with(says()), func(d *driver) {
		d.typeText("/model\n")
		d.send(tea.PasteMsg{Content: strings.Repeat("long ", 1<<20)})
		d.wait(time.Millisecond)
		d.sees("Not pasted: a field takes up to 4 kB")
		d.seesNot("filter long")
		d.send(tea.PasteMsg{Content: "/home/somebody/" + strings.Repeat("deep/", 20)})
		d.typeText("end")
		d.sees("filter …", "deep/end▏")
	})
}

func TestResumedWithoutModels(t *testing.T) {
	model := says()
	model.Down = &provider.Error{Kind: provider.KindMissing, Text: "no models installed"}
	o := with(model)
	o.Chat.Name = ""
	o.Choice = live.Choice{Others: []string{"", "gone:8b", "last:1b"}, Before: session.Used{Model: "gone:8b"}}
	drive(t, 100, 24, o, func(d *driver) {
		d.wait(second)
		d.sees("No models installed", "Download gone:8b")
	})
}

func TestResumedWithOtherModel(t *testing.T) {
	model := says(chunks(time.Second, "Hello."))
	model.Models = []provider.Info{{Name: "other:1b"}, {Name: "small:1b"}}
	o := with(model)
	o.Chat.Name = ""
	o.Choice = live.Choice{Others: []string{"gone:8b", "small:1b"}, Before: session.Used{Model: "gone:8b"}}
	const change = "This conversation was with gone:8b, which is not available. It continues with small:1b."
	drive(t, 100, 24, o, func(d *driver) {
		d.wait(second)
		d.sees(change)
		d.typeText("/model other:1b\n").wait(second)
		d.typeText("/model small:1b\n").wait(second)
		if n := strings.Count(d.screen(), "This conversation"); n != 1 {
			t.Errorf("the change is reported %d times:\n%s", n, d.screen())
		}
	})
}

// slowLibrary takes a second to describe a model, and five for the model "slow:8b".
type slowLibrary struct{ *providertest.Script }

func (s slowLibrary) Describe(ctx context.Context, name string) (provider.Info, error) {
	time.Sleep(time.Second) // under fake time
	if name == "slow:8b" {
		time.Sleep(4 * time.Second)
	}
	return s.Script.Describe(ctx, name)
}

// TestLastChosenModelIsUsed checks that a model which is found late, even during a turn, does not replace the one that
// you chose after it.
func TestLastChosenModelIsUsed(t *testing.T) {
	model := says(chunks(10*time.Second, "One."), chunks(time.Second, "Two."))
	o := with(slowLibrary{model})
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(2 * time.Second)
		d.typeText("/model slow:8b\n/model other:1b\nFirst?\n").wait(8 * time.Second)
		d.sees("other:1b")
		d.typeText("Second?\n").wait(20 * time.Second)
		d.sees("Two.", "other:1b")
		for i, request := range model.Requests() {
			if request.Model != "other:1b" {
				t.Errorf("request %d is for %q", i, request.Model)
			}
		}
	})
}

// TestRetryDuringSearch checks that /retry waits for the model that is looked for, as a question does.
func TestRetryDuringSearch(t *testing.T) {
	model := says(chunks(time.Second, "One."), chunks(time.Second, "Two."))
	model.Models = []provider.Info{{Name: "test:8b"}, {Name: "other:1b"}}
	o := with(model)
	o.Chat.Model = slowLibrary{model}
	drive(t, 100, 24, o, func(d *driver) {
		d.wait(20 * second)
		d.typeText("First?\n").wait(20 * second)
		d.sees("One.")
		d.send(dialog.UseModel{Name: "other:1b"})
		d.typeText("/retry\n")
		d.sees("Queued: /retry", "One.")
		d.wait(20 * second)
		d.sees("Two.", "other:1b")
		d.seesNot("Queued", "One.")
	})
}

func TestClearDuringSearch(t *testing.T) {
	model := says(chunks(time.Second, "Hello."))
	model.Models = []provider.Info{{Name: "small:1b"}}
	o := with(model)
	o.Chat.Model, o.Chat.Name = slowLibrary{model}, ""
	o.Choice = live.Choice{Others: []string{"gone:8b", "small:1b"}, Before: session.Used{Model: "gone:8b"}}
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/clear\n").wait(5 * second)
		d.sees("small:1b")
		d.seesNot("This conversation")
	})
}

// TestClearedConversationIsNew checks that /clear forgets the model of the conversation before.
func TestClearedConversationIsNew(t *testing.T) {
	model := says(chunks(time.Second, "Hello."))
	model.Models = []provider.Info{{Name: "old:8b"}, {Name: "small:1b"}}
	model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers"}
	o := with(model)
	o.Chat.Name = ""
	o.Choice = live.Choice{Others: []string{"old:8b", "small:1b"}, Before: session.Used{Model: "old:8b"}}
	drive(t, 100, 24, o, func(d *driver) {
		d.wait(second)
		d.press("esc")
		d.typeText("/clear\n").wait(second)
		model.Down = nil
		d.typeText("Hi\n").wait(5 * second)
		d.sees("Hello.", "small:1b")
		d.seesNot("old:8b", "This conversation")
	})
}

// TestModelChosenDuringTurn checks that the chosen model waits for the end of the turn without polling, and that a
// queued question waits for the model.
func TestModelChosenDuringTurn(t *testing.T) {
	model := says(chunks(10*time.Second, "One."), chunks(time.Second, "Two."))
	model.Models = []provider.Info{{Name: "test:8b"}, {Name: "other:1b"}}
	o := with(model)
	o.Motion = status.MotionNone
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("First?\nSecond?\n")
		d.send(dialog.UseModel{Name: "other:1b"})
		d.wait(2 * time.Second)
		if n := d.watch(6*time.Second, func(tea.Msg) {}); n > 6 {
			t.Errorf("%d messages are handled while the turn waits", n)
		}
		d.sees("test:8b", "Queued: Second?")
		d.wait(20 * time.Second)
		d.sees("Two.", "other:1b")
		if asked := model.Requests(); asked[len(asked)-1].Model != "other:1b" {
			t.Errorf("the last request is for %q", asked[len(asked)-1].Model)
		}
	})
}
