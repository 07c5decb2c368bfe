package ui

import (
	"context"
	"iter"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// closed is a library from which nothing can be fetched.
type closed struct {
	*provider.Script
	err error
}

func (c *closed) Pull(context.Context, string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		if yield(provider.PullProgress{Status: "pulling manifest"}, nil) {
			yield(provider.PullProgress{}, c.err)
		}
	}
}

func TestAFetchThatFailsOffersWaysOn(t *testing.T) {
	model := &closed{says(), &provider.Error{Text: "the library cannot be reached", Hint: "check the network"}}
	model.Models = []provider.Info{{Name: "small:1b", Tools: true}}
	o := with(model)
	o.Chat.Name = "big:70b"
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.sees("Fetch big:70b")
		d.press("enter")
		d.wait(second)
		d.sees("The library cannot be reached. Check the network.", "Fetch big:70b", "Choose another model")
	})
	o.Chat.Name = "small:1b"
	drive(t, 80, 24, o, func(d *driver) { // a model in use stays
		d.typeText("/model\n")
		d.wait(second)
		d.typeText("big:70b\n")
		d.wait(second)
		d.sees("✗ The library cannot be reached. Check the network.", "small:1b")
		d.seesNot("Fetch")
	})
}

func TestAServerThatDoesNotStartSaysWhatToDo(t *testing.T) {
	model := says()
	model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers"}
	o := with(model)
	o.StartServer = func(context.Context) error {
		return &provider.Error{Kind: provider.KindUnavailable, Text: "it is not installed", Hint: "install it from the web"}
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.press("enter")
		d.wait(second)
		d.sees("It is not installed. Install it from the web.", "Start Ollama")
		d.press("esc")
		d.typeText("Hi\n")
		d.wait(second)
		d.sees("↳ Hi", "No model server")
		d.seesNot("backspace") // which does nothing now
		d.press("esc")
		d.sees("backspace takes it back")
	})
}

func TestTheModelInUseIsMarked(t *testing.T) {
	model := says()
	model.Models = []provider.Info{{Name: "other:1b"}, {Name: "small:latest"}}
	p := modelPicker()
	p.rows = modelRows(model.Models, "small")
	if p.rows[0].badge == "●" || p.rows[1].badge != "●" {
		t.Errorf("the rows are %+v", p.rows)
	}
	p.typed = "small"
	if shown := p.shown(); len(shown) != 1 {
		t.Errorf("shown are %v: a model that is there is not to be fetched", shown)
	}
}
