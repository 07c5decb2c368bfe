package ui

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
)

func TestThinkOnWithAModelThatCannotThinkSaysSo(t *testing.T) {
	model := &provider.Script{
		Models:  []provider.Info{{Name: "test:8b", Context: 32768, Known: true}},
		Replies: []provider.Reply{{{Text: "Fine."}}},
	}
	drive(t, 80, 24, Options{Chat: &provider.Chat{Model: model}}, func(d *driver) {
		d.typeText("/think on\n")
		d.sees("Thinking: on")
		d.typeText("How are you?\n").wait(time.Second)
		d.sees("test:8b cannot think; it answers without.", "Fine.")
		if asked := model.Requests(); len(asked) != 1 || asked[0].Think == provider.ThinkOn {
			t.Errorf("it was asked %+v", asked)
		}
	})
}
