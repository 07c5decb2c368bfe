package provider_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// TestAStatusModelIsTriedBesideAnotherModel: what had no room beside a large model may have it beside a small one, and a model that writes no
// sentences says nothing of another.
func TestAStatusModelIsTriedBesideAnotherModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &memory{room: 1, known: true, in: []string{"test:14b"}, Script: &provider.Script{
			Forever: true, Replies: append(reads(1), provider.Reply{{Text: "Done."}}, reads(1)[0], provider.Reply{{Text: "Done."}}),
			Quick: []provider.Reply{{{Text: "Reading a page"}}},
		}}
		c := chat(nil, toolbox{{"read_page", takes(5*time.Second, "page")}})
		c.Model, c.Name, c.Style, c.StatusModel = server, "test:14b", status.StyleSentence, "small"
		tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
		if n := len(server.QuickRequests()); n != 0 {
			t.Errorf("%d sentences were asked for where there is no room", n)
		}
		c.Name, server.room = "test:1b", 2
		tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
		if n := len(server.QuickRequests()); n != 1 {
			t.Errorf("%d sentences were asked for beside the smaller model", n)
		}
	})
}

// TestAStatusModelThatIsTheChatsByAnotherName is asked as the chat's: in a context of its own it would be loaded anew.
func TestAStatusModelThatIsTheChatsByAnotherName(t *testing.T) {
	for _, names := range [][2]string{{"test", "test:latest"}, {"test:latest", "test"}} {
		synctest.Test(t, func(t *testing.T) {
			c, model := withSentences(5*time.Second, provider.Reply{calls("read_user")}, provider.Reply{{Text: "Looking up the user"}})
			model.Models = []provider.Info{{Name: names[0], Tools: true, Context: 32768}}
			c.Name, c.StatusModel = names[0], names[1]
			tell(t, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
			asked := model.QuickRequests()
			if len(asked) != 1 || asked[0].Model != names[0] || len(asked[0].Messages) < 3 {
				t.Errorf("the requests for sentences are %v", fmt.Sprint(asked))
			}
		})
	}
}
