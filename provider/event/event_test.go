package event_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider/event"
)

func TestActivities(t *testing.T) {
	for ev, want := range map[event.Event]bool{
		event.Overloaded{}: true, event.Progress{}: true, event.Repeating{}: true,
		event.Text{}: false, event.Withdrawn{}: false,
	} {
		if _, got := ev.(event.Activity); got != want {
			t.Errorf("%T is an activity: %t, want %t", ev, got, want)
		}
	}
}
