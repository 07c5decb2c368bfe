package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestCancelMidText(t *testing.T) {
	model := script(replies{{{Thinking: "Hm."}, {Text: "Once upon"}, {Block: true}}})
	story, ended := askAndStop(t, chat(model, nil), time.Second)
	hasAll(t, story, "text: Once upon\n(Stopped by you)\nended: cancelled")
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant partial: (Hm.) Once upon`)
	if ended.Result.Answer != "Once upon" || ended.Err != nil {
		t.Errorf("the turn ended as %+v", ended)
	}
}

func TestCancelMidTool(t *testing.T) {
	model := script(replies{{calls("do_quick", "do_slow", "do_more")}})
	tools := toolbox{{"do_quick", says("quick")}, {"do_slow", takes(time.Hour, "")}, {"do_more", says("more")}}
	_, ended := askAndStop(t, chat(model, tools), time.Second)
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: [call_1 box__do_quick {}] [call_2 box__do_slow {}] [call_3 box__do_more {}]
		tool call_1 box__do_quick: quick
		tool call_2 box__do_slow failed partial: This call was cancelled while it ran; its effects are unknown.
		tool call_3 box__do_more failed partial: This call was cancelled before it ran.`)
	if n := len(model.Requests()); n != 1 || ended.Result.Stop.Reason != event.Cancelled {
		t.Errorf("the turn ended as %+v after %d requests", ended.Result.Stop, n)
	}
}

// The model learns whether a cancelled call may have had effects.
func TestCancelledCallSaysWhatTheServerConfirmed(t *testing.T) {
	for _, test := range []struct {
		err         error
		want, story string
	}{
		{mcpclient.ErrUnasked, "This call was cancelled before it was sent to its server: nothing was done.", ""},
		{mcpclient.ErrUnconfirmed, "did not confirm that it has stopped, and may still be working on it.",
			"Do Slow was stopped, but box did not confirm it and may still be running it"},
	} {
		slow := func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			<-ctx.Done()
			return mcpclient.Result{}, errors.Join(ctx.Err(), test.err)
		}
		story, ended := askAndStop(t, chat(script(replies{{calls("do_slow")}}), toolbox{{"do_slow", slow}}), time.Second)
		got := ended.Result.ToolCalls[0].Result
		hasAll(t, story, test.story)
		if !strings.HasSuffix(got, test.want) {
			t.Errorf("the model reads %q, and the story is\n%s", got, story)
		}
	}
}

func TestCallsThatDidNotStartSaySo(t *testing.T) {
	var sixPages []string // four are read at the same time
	for n := range 6 {
		sixPages = append(sixPages, fmt.Sprintf(`read_page {"n":%d}`, n))
	}
	tools := toolbox{{"read_page", takes(time.Minute, "page")}}
	_, ended := askAndStop(t, chat(script(replies{{calls(sixPages...)}}), tools), time.Second)
	queued := 0
	for _, call := range ended.Result.ToolCalls {
		if call.Status != event.CallCancelled {
			t.Errorf("a call is %s", call.Status)
		}
		if strings.Contains(call.Result, "before it ran") {
			queued++
		}
	}
	if laps := len(ended.Result.Timing.Steps); queued != 2 || laps != 4 {
		t.Errorf("%d calls did not start, and %d took time", queued, laps)
	}
}

func TestCancelWhileServersStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(&providertest.Script{}, nil)
		c.Tools = &slowTools{ready: time.Now().Add(time.Hour)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, ended := tell(t, c.Send(ctx, provider.Conversation{}, "Hi"), nil)
		if ended.Result.Stop.Reason != event.Cancelled || ended.Conversation.Len() != 1 {
			t.Errorf("the turn ended as %+v", ended.Result.Stop)
		}
		time.Sleep(time.Hour) // the server is ready now
	})
}

// A cancelled reader returns no answer, sometimes before the turn's context is done.
func TestNoAnswerIsNoRefusal(t *testing.T) {
	for _, cancels := range []bool{true, false} {
		c := chat(script(replies{{calls("do_it")}}), toolbox{{"do_it", says("done")}})
		c.Policy = nil
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, ended := tell(t, c.Send(ctx, provider.Conversation{}, "Go"), func(event.Asked) {
			if cancels {
				cancel()
			}
		})
		if r := ended.Result; r.Stop.Reason != event.Cancelled || r.ToolCalls[0].Status != event.CallCancelled {
			t.Errorf("the result is %+v", r)
		}
	}
}

// watch checks the invariants of every turn. It calls at with the number of each event.
func watch(t *testing.T, turn event.Events, at func(n int, e event.Event)) (seen int, reason event.Reason) {
	t.Helper()
	var appended []provider.Message
	end := listenTo(func(yield func(event.Event, error) bool) {
		for ev, err := range turn {
			if e, ok := ev.(event.Appended); ok {
				appended = append(appended, e.Messages...)
			}
			if !yield(ev, err) {
				return
			}
			seen++
			at(seen, ev)
		}
	})
	for _, odd := range slices.Concat(end.odd, end.unkept) {
		t.Error(odd)
	}
	if (end.err != nil) != (end.Stop.Reason == event.Failed) {
		t.Errorf("the turn ended as %q with the error %v", end.Stop.Reason, end.err)
	}
	if why := unanswered(end.kept); why != "" {
		t.Error(why)
	}
	got := written(provider.Conversation{}.With(end.kept[len(end.kept)-len(appended):]...))
	if want := written(provider.Conversation{}.With(appended...)); got != want {
		t.Errorf("the conversation ends with\n%s\nnot with what was appended:\n%s", got, want)
	}
	return seen, end.Stop.Reason
}

func TestLeavingTheLoopWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		slow := func(ctx context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			progress(mcpclient.Progress{Done: 1, Total: 2})
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return mcpclient.Result{}, ctx.Err()
		}
		c := chat(script(replies{{calls("do_slow")}}), toolbox{{"do_slow", slow}})
		for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Go")) {
			if _, ok := ev.(event.Progress); ok {
				break
			}
		}
		if !ended {
			t.Error("the loop was left before the call had ended")
		}
	})
}
