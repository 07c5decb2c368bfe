package loop_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestDroppedConnections(t *testing.T) {
	dropped := &provider.Error{Kind: provider.KindBroken, Text: "the connection was closed", Err: errors.New("EOF")}
	for name, test := range map[string]struct {
		replies  replies
		requests int
		reason   event.Reason
	}{
		"before the first word, once":  {replies{{{Err: dropped}}, {{Text: "Hi"}}}, 2, event.Done},
		"before the first word, twice": {replies{{{Err: dropped}}, {{Err: dropped}}}, 2, event.Failed},
		"in the middle":                {replies{{{Text: "Ha"}, {Err: dropped}}, {{Text: "Hi"}}}, 1, event.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			model := script(test.replies)
			_, ended := ask(t, chat(model, nil), "Hi")
			if n := len(model.Requests()); n != test.requests || ended.Result.Stop.Reason != test.reason {
				t.Errorf("%d requests, then %+v", n, ended.Result.Stop)
			}
		})
	}
}

func TestSilenceThatEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{
			{Wait: time.Hour, Text: "Well"}, {Wait: 70 * time.Second, Text: ", yes"}, {Wait: 61 * time.Second, Text: "."},
		}})
		c := chat(model, nil)
		c.Limits.TotalTime = 3 * time.Hour
		stalls := 0
		for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			switch e := ev.(type) {
			case event.Stalled:
				stalls++
			case event.Ended:
				if stalls != 3 || e.Result.Answer != "Well, yes." {
					t.Errorf("it stalled %d times, the first time before it began, then said %q", stalls, e.Result.Answer)
				}
			}
		}
	})
}

// The timer of the silence fires before the program knows that it runs again.
func TestSuspendedTimeIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(script(replies{{{Text: "Well"}, {Wait: 2 * time.Hour, Text: "."}}}), nil)
		c.Limits.TotalTime = 3 * time.Hour
		time.AfterFunc(time.Second, func() {
			resume := c.Shared.Suspend()
			time.AfterFunc(2*time.Hour-10*time.Second, resume)
		})
		for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			if e, ok := ev.(event.Stalled); ok {
				t.Errorf("it stalled for %v", e.Silence)
			}
		}
	})
}

func TestSilenceEndsScript(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "Well"}, {Block: true}}}, Forever: true}
	c := chat(model, nil)
	c.Interactive, c.Limits.Silence = false, 20*time.Second
	_, ended := askFast(t, c, "Hi")
	endsAs(t, ended, event.Failed, "Well")
	hasAll(t, ended.Result.Stop.Detail, "sent nothing for 20s")
}

// A retry may take as long to start as the first request, and a call written as text does not count as silence.
func TestRetryIsNoSilence(t *testing.T) {
	const call = `{"name":"box__read_file","arguments":{"path":"a file with a long name"}}`
	var slow reply
	for piece := range slices.Chunk([]byte(call), 8) {
		slow = append(slow, step{Wait: 50 * time.Second, Text: string(piece)})
	}
	late := step{Wait: 4 * time.Minute, Text: "42."}
	for name, replies := range map[string]replies{
		"broken":  {{{Text: "Half"}, {Cut: true}}, {late}},
		"empty":   {{{Thinking: "Hm."}}, {late}},
		"printed": {slow, {late}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := chat(script(replies), toolbox{{"read_file", says("42")}})
				c.Interactive, c.Limits.TotalTime = false, time.Hour
				if _, ended := ask(t, c, "Go"); ended.Result.Answer != "42." {
					t.Errorf("the turn ended as %+v", ended.Result.Stop)
				}
			})
		})
	}
}
