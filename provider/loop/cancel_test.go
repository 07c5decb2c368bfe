package loop_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

func TestCancelMidText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{{Thinking: "Hm."}, {Text: "Once upon"}, {Block: true}}}}
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
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_quick", "do_slow", "do_more")}}}
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

// A server that was told to stop and says nothing may go on: the person hears that, and so does the model when the conversation goes on.
func TestCancelThatNobodyConfirms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_slow")}}}
		stubborn := func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			<-ctx.Done()
			return mcpclient.Result{}, errors.Join(ctx.Err(), mcpclient.ErrUnconfirmed)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		told, ended := tell(t, chat(model, toolbox{{"do_slow", stubborn}}).Send(ctx, provider.Conversation{}, "Go"), nil)
		if want := "Do Slow was stopped, but box did not confirm it and may still be running it"; !strings.Contains(told, want) {
			t.Errorf("the person reads\n%s\nwithout %q", told, want)
		}
		if got := ended.Result.ToolCalls[0].Result; !strings.HasSuffix(got, "Its server did not confirm that it has stopped, and may still be working on it.") {
			t.Errorf("the model reads %q", got)
		}
	})
}

// A call that was given up while its server was started again has changed nothing: the model need not ask what became of it.
func TestCancelBeforeTheServerWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_slow")}}}
		lost := func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			<-ctx.Done()
			return mcpclient.Result{}, errors.Join(ctx.Err(), mcpclient.ErrUnasked)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, ended := tell(t, chat(model, toolbox{{"do_slow", lost}}).Send(ctx, provider.Conversation{}, "Go"), nil)
		if got := ended.Result.ToolCalls[0].Result; got != "This call was cancelled before its server was asked: nothing was done." {
			t.Errorf("the model reads %q", got)
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
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_it")}}}
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
	model := &providertest.Script{Replies: []providertest.Reply{{calls("do_it")}}}
	c := chat(model, toolbox{{"do_it", says("done")}})
	c.Policy = nil
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), func(provider.Asked) {})
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
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_slow")}}}
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

// A panic in the loop over a turn reaches whoever caught it, and nothing of the turn goes on: a bubble of synctest ends with its last goroutine.
func TestReaderPanics(t *testing.T) {
	busy := func(ctx context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
		for i := range 100 {
			progress(mcpclient.Progress{Done: float64(i), Total: 100})
		}
		return takes(time.Hour, "")(ctx, "", progress)
	}
	for _, when := range []string{"Analyzing", "Thinking", "Formulating", "Selecting", "Using 3 tools", "/100"} {
		synctest.Test(t, func(t *testing.T) {
			model := &providertest.Script{Replies: []providertest.Reply{{{Thinking: "Hm."}, {Text: "Wait."}, calls("read_busy", "read_fast", `read_busy {"n":2}`)}}}
			began, caught := time.Now(), any(nil)
			func() {
				defer func() { caught = recover() }()
				tools := toolbox{{"read_busy", busy}, {"read_fast", takes(time.Second, "")}}
				for event := range observed(t, nil, chat(model, tools).Send(t.Context(), provider.Conversation{}, "Go")) {
					if e, ok := event.(status.State); ok && strings.Contains(e.Text, when) {
						panic("the screen is gone")
					}
				}
			}()
			if caught != "the screen is gone" || time.Since(began) > time.Second {
				t.Errorf("at %q %v was caught after %v", when, caught, time.Since(began))
			}
		})
	}
}
