package provider_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestActivities(t *testing.T) {
	for event, want := range map[provider.Event]bool{
		provider.Busy{}: true, provider.Progress{}: true, provider.Repeating{}: true,
		provider.Text{}: false, provider.Withdrawn{}: false,
	} {
		if _, got := event.(provider.Activity); got != want {
			t.Errorf("%T is an activity: %t, want %t", event, got, want)
		}
	}
}
