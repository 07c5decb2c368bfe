package live_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
)

func TestNewConversationForgetsOldModel(t *testing.T) {
	for _, test := range []struct {
		before session.Used
		others string
		want   string
	}{
		{session.Used{Model: "old", Provider: "box"}, "old,file,last", "file,last"},
		{session.Used{Model: "old", Provider: "box"}, "old,old,last", "old,last"}, // the file names it too
		{session.Used{Model: "old", Provider: "box"}, "variable,old,last", "variable,last"},
		{session.Used{Model: "old", Provider: "another"}, ",old,last", ",old,last"},
		{session.Used{}, "file,last", "file,last"},
	} {
		c := live.Choice{Others: strings.Split(test.others, ","), Provider: "box", Before: test.before}
		now := c.ForNew()
		if got := strings.Join(now.Others, ","); got != test.want || now.Change("x") != "" {
			t.Errorf("after %+v, %s becomes %s", test.before, test.others, got)
		}
		if got := strings.Join(c.Others, ","); got != test.others {
			t.Errorf("the old choice has changed to %s", got)
		}
	}
}
