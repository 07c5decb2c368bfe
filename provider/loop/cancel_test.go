package loop_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestCancelMidText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{{Thinking: "Hm."}, {Text: "Once upon"}, {Block: true}}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		story, ended := tell(t, chat(model, nil).Send(ctx, provider.Conversation{}, "Tell"), nil)
		same(t, "story", story, `
			(Analyzing request…)
			(Thinking…)
			thinking: Hm.
			(Formulating response…)
			text: Once upon
			(Stopped by you)
			ended: cancelled`)
		same(t, "conversation", written(ended.Conversation), `
			user: Tell
			assistant partial: (Hm.) Once upon`)
		if ended.Result.Answer != "Once upon" || ended.Err != nil {
			t.Errorf("the turn ended as %+v", ended)
		}
	})
}

func TestCancelMidTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("do_quick", "do_slow", "do_more")}})
		tools := toolbox{{"do_quick", says("quick")}, {"do_slow", takes(time.Hour, "slow")}, {"do_more", says("more")}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, ended := tell(t, chat(model, tools).Send(ctx, provider.Conversation{}, "Go"), nil)
		same(t, "conversation", written(ended.Conversation), `
			user: Go
			assistant: [call_1 box__do_quick {}] [call_2 box__do_slow {}] [call_3 box__do_more {}]
			tool call_1 box__do_quick: quick
			tool call_2 box__do_slow failed partial: This call was cancelled while it ran; what it did until then is not known.
			tool call_3 box__do_more failed partial: This call was cancelled before it ran.`)
		if ended.Result.Stop.Reason != provider.Cancelled || len(model.Requests()) != 1 {
			t.Errorf("the turn ended as %+v after %d requests", ended.Result.Stop, len(model.Requests()))
		}
	})
}

func TestCancelWhileServersStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(&providertest.Script{}, nil)
		c.Tools = &slowTools{ready: time.Now().Add(time.Hour)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, ended := tell(t, c.Send(ctx, provider.Conversation{}, "Hi"), nil)
		if ended.Result.Stop.Reason != provider.Cancelled || ended.Conversation.Len() != 1 {
			t.Errorf("the turn ended as %+v", ended.Result.Stop)
		}
		time.Sleep(time.Hour) // the server is ready, nobody waits any more
	})
}

func TestCancelWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("do_it")}})
		c := chat(model, toolbox{{"do_it", says("done")}})
		c.Policy = nil
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, ended := tell(t, c.Send(ctx, provider.Conversation{}, "Go"), func(provider.Asked) { cancel() })
		if ended.Result.Stop.Reason != provider.Cancelled || ended.Result.ToolCalls[0].Status != provider.CallCancelled {
			t.Errorf("the result is %+v", ended.Result)
		}
	})
}

// A reader that is cancelled leaves without an answer. Its context is done a moment before those made from it.
func TestNoAnswerIsNoRefusal(t *testing.T) {
	model := script(replies{{calls("do_it")}})
	c := chat(model, toolbox{{"do_it", says("done")}})
	c.Policy = nil
	_, ended := ask(t, c, "Go", func(provider.Asked) {})
	if ended.Result.Stop.Reason != provider.Cancelled || ended.Result.ToolCalls[0].Status != provider.CallCancelled {
		t.Errorf("the result is %+v", ended.Result)
	}
}

// watch ranges over a turn as a person who allows everything and has silent replies asked for again, and checks what must hold for every turn.
// at is told the number of each event.
func watch(t *testing.T, turn iter.Seq2[provider.Event, error], at func(n int, e provider.Event)) (seen int, reason provider.Reason) {
	t.Helper()
	var kept []provider.Message
	var text, thinking string
	open := map[string]bool{}
	for event, err := range turn {
		switch e := event.(type) {
		case provider.Text:
			text += e.Delta
		case provider.Thinking:
			thinking += e.Delta
		case provider.Withdrawn:
			text, thinking = "", ""
		case provider.ToolCalled:
			open[e.Call.ID] = true
		case provider.ToolFinished:
			delete(open, e.Call.ID)
		case provider.Asked:
			e.Answer(provider.Decision{Allow: true})
		case provider.Appended:
			kept = append(kept, e.Messages...)
			if m := e.Messages[0]; m.Role == provider.RoleAssistant {
				text, thinking = strings.TrimPrefix(text, m.Text), strings.TrimPrefix(thinking, m.Thinking)
			}
			if text != "" || thinking != "" {
				t.Errorf("told but not kept: %q, %q, by the time of %+v", text, thinking, e.Messages)
			}
			text, thinking = "", ""
		case provider.Ended:
			if reason = e.Result.Stop.Reason; (err != nil) != (reason == provider.Failed) {
				t.Errorf("the turn ended as %q with the error %v", reason, err)
			}
			before := e.Conversation.Len() - len(kept)
			if got := written(provider.Conversation{}.With(e.Conversation.Messages()[before:]...)); got != written(provider.Conversation{}.With(kept...)) {
				t.Errorf("the conversation at the end has not what was appended:\n%s", got)
			}
			for _, m := range e.Conversation.Messages() {
				for _, call := range m.Calls {
					open[call.ID] = true
				}
				delete(open, m.CallID)
			}
		}
		seen++
		at(seen, event)
	}
	if text != "" || thinking != "" || len(open) > 0 {
		t.Errorf("told but not kept: %q, %q, calls without an answer: %v", text, thinking, open)
	}
	return seen, reason
}

func TestReaderLeavesMidTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("do_slow")}})
		ended := false
		slow := func(ctx context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			progress(mcpclient.Progress{Done: 1, Total: 2})
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return mcpclient.Result{}, ctx.Err()
		}
		for event := range events(t, chat(model, toolbox{{"do_slow", slow}}).Send(t.Context(), provider.Conversation{}, "Go")) {
			if _, ok := event.(provider.Progress); ok {
				break
			}
		}
		if !ended {
			t.Error("the loop was left before the call had ended")
		}
	})
}
