package status_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

func TestEndingHasWaysThatHelp(t *testing.T) {
	ways := status.Ways{GoOn: "to go on", Retry: "/retry", Model: "/model", Room: "/compact"}
	begun := event.TurnUsage{AnswerTokens: 1}
	failed := func(kind provider.Kind) event.Result {
		return event.Result{Stop: event.FailedBy(&provider.Error{Kind: kind, Text: "it is gone", Hint: "start it"})}
	}
	gone := failed(provider.KindBroken)
	gone.Usage = begun
	length := func(cause event.Cause) event.Result {
		stop := event.Stop{Reason: event.Length, Cause: cause, Value: 8, Limit: 8}
		return event.Result{Stop: stop.Told(""), Usage: begun}
	}
	for name, c := range map[string]struct {
		result event.Result
		want   string
	}{
		"unreachable":        {failed(provider.KindUnavailable), "It is gone. Start it.\n/retry"},
		"lost in the middle": {gone, "It is gone. Start it.\nTo go on · /retry"},
		"out of memory":      {failed(provider.KindMemory), "It is gone. Start it.\n/model, then /retry"},
		"no such model":      {failed(provider.KindMissing), "It is gone. Start it.\n/model, then /retry"},
		"the prompt is long": {failed(provider.KindTooLong), "It is gone. Start it.\n/compact"},
		"a wrong key":        {failed(provider.KindUnauthorized), "It is gone. Start it."},
		"busy":               {failed(provider.KindBusy), "It is gone. Start it.\n/retry"},
		"another failure":    {failed(provider.KindFailed), "It is gone. Start it.\n/retry · /model"},
		"of an older version": {event.Result{Stop: event.Stop{Reason: event.Failed, Detail: "a; b"}},
			"A; b.\n/retry · /model"},
		"without a reason": {event.Result{Stop: event.Stop{Reason: event.Failed}}, "The turn failed.\n/retry · /model"},
		"the window is full": {length(event.WindowFull),
			"The context window of 8 tokens is full. Set a larger context, or start a new conversation.\nTo go on · /compact"},
		"repeats": {length(event.AnswerRepeats),
			"The answer repeats itself. Ask again, or use another model.\n/retry · /model · to go on"},
		"too long":  {length(event.ReplyTooLong), "The reply is too long. Ask for a shorter answer.\nTo go on"},
		"rounds":    {event.Result{Stop: event.Stop{Reason: event.Iterations, Value: 3}.Told("")}, "To go on"},
		"an answer": {event.Result{Stop: event.Stop{Reason: event.Done}}, ""},
		"you":       {event.Result{Stop: event.Stop{Reason: event.Cancelled}}, ""},
		"a refusal": {event.Result{Stop: event.Stop{Reason: event.Denied}}, ""},
	} {
		if got := status.Ending(c.result, ways); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestEndingWithoutCommandsHasOnlyHint(t *testing.T) {
	r := event.Result{Stop: event.FailedBy(&provider.Error{Text: "it is gone", Hint: "start it"})}
	if got := status.Ending(r, status.Ways{}); got != "It is gone. Start it." {
		t.Errorf("got %q", got)
	}
}
