package loop_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
)

// named is a toolbox with the names of its servers.
type named struct{ toolbox }

func (named) Servers() []string { return []string{"box"} }

func TestRoundsAreLearned(t *testing.T) {
	book := pace.Open("", "http://here")
	begin := func(rounds int) *loop.Chat {
		c := chat(script(append(reads(rounds), reply{{Text: "Done."}})), nil)
		c.Tools, c.Pace, c.Limits.Iterations = named{toolbox{{"read_page", says("a page")}}}, book, loop.AutoIterations
		return c
	}
	for range 12 {
		if _, ended := ask(t, begin(3), "Go"); ended.Result.Stop.Reason != event.Done {
			t.Fatalf("a short turn ended as %+v", ended.Result.Stop)
		}
	}
	if got := book.Rounds("test:1b", []string{"box"}); got.Limit != 5 || got.Turns != 12 {
		t.Fatalf("12 turns of 3 rounds give %+v", got)
	}

	// A limit that is too low rises with the turns that you continue.
	for range 12 {
		c := begin(8)
		_, ended := ask(t, c, "Go")
		if stop := ended.Result.Stop; stop.Reason == event.Iterations {
			hasAll(t, stop.Detail, "[Unable to complete task: ", "the limit that aloud chose", "(limits.iterations = auto)")
			if strings.Contains(stop.Why, "limits.") || stop.Limit != stop.Value {
				t.Errorf("the limit is told as %+v", stop)
			}
			c.Model = script(append(reads(3), reply{{Text: "Done."}}))
			tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
		}
	}
	if got := book.Rounds("test:1b", []string{"box"}); got.Limit < 8 {
		t.Errorf("turns that need 8 rounds are still limited: %+v", got)
	}
}

func TestRoundsOfStoppedTurnsAreNotLearned(t *testing.T) {
	book := pace.Open("", "http://here")
	for range 12 {
		model := script(replies{{calls("read_page")}, {{Err: &provider.Error{Text: "no"}}}})
		c := chat(model, toolbox{{"read_page", says("a page")}})
		c.Pace, c.Limits.Iterations = book, loop.AutoIterations
		ask(t, c, "Go")
	}
	if got := book.Rounds("test:1b", nil); got.Turns != 0 || got.Limit != pace.UsualRounds {
		t.Errorf("failed turns give %+v", got)
	}
}
