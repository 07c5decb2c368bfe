package loop_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// asker is where a test puts what a server wants.
type asker struct {
	mu      sync.Mutex
	now     provider.Ask
	changed chan struct{}
}

func (a *asker) Asking() (provider.Ask, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed == nil {
		a.changed = make(chan struct{})
	}
	return a.now, a.changed
}

func (a *asker) want(now provider.Ask) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = now
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

func TestTheClockStandsStillWhileAServerAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_it")}, {{Text: "Done."}}}}
		var inbox asker
		ask := func(_ context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			time.Sleep(2 * time.Second)
			inbox.want(provider.Ask{Server: "box"})
			time.Sleep(time.Hour) // the person is at lunch
			progress(mcpclient.Progress{Done: 1, Total: 2})
			inbox.want(provider.Ask{Server: "box", Model: true})
			time.Sleep(time.Hour)
			inbox.want(provider.Ask{})
			time.Sleep(3 * time.Second)
			return mcpclient.Result{Text: "done"}, nil
		}
		c := chat(model, toolbox{{"do_it", ask}})
		c.Asker = &inbox
		var worked time.Duration
		var paused []string
		for ev := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Go")) {
			switch ev := ev.(type) {
			case status.State:
				worked = ev.Elapsed(time.Now())
				if ev.Paused {
					paused = append(paused, string(ev.Phase)+": "+ev.Text)
				}
			case provider.Ended:
				if took := ev.Result.ToolCalls[0].DurationMS; took != 5000 || ev.Result.Timing.Tools != 5000 {
					t.Errorf("the tool took %d ms, all tools %d: what was asked is not their time", took, ev.Result.Timing.Tools)
				}
				if ev.Result.Stop.Reason != provider.Done {
					t.Errorf("the turn ended as %v", ev.Result.Stop)
				}
			}
		}
		if worked != 5*time.Second {
			t.Errorf("the turn worked for %v, want the 5s of the tool", worked)
		}
		if got := strings.Join(paused, "\n"); got != "approval: Box asks you something\ntool: The model writes for box…" {
			t.Errorf("while the clock stood still the line said\n%s", got)
		}
	})
}

func TestTheLineComesBackToTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{calls("do_it")}, {{Text: "Done."}}}}
		var inbox asker
		ask := func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
			inbox.want(provider.Ask{Server: "box"})
			time.Sleep(time.Second)
			inbox.want(provider.Ask{})
			time.Sleep(time.Second)
			return mcpclient.Result{Text: "done"}, nil
		}
		c := chat(model, toolbox{{"do_it", ask}})
		c.Asker = &inbox
		story, _ := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
		if !strings.Contains(story, "(Using Do It…)\n(Box asks you something)\n(Using Do It…)\nfinished") {
			t.Errorf("the story is\n%s", story)
		}
	})
}

// inTool runs a chat in which a tool has the model write something, and returns what came of that.
func inTool(t *testing.T, model *providertest.Script, a loop.Aside) (w loop.Written, err error) {
	t.Helper()
	var c *loop.Chat
	model.Replies = []providertest.Reply{{calls("do_it")}, {{Text: "Done."}}}
	c = chat(model, toolbox{{"do_it", func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		w, err = c.Write(ctx, a)
		return mcpclient.Result{Text: "done"}, nil
	}}})
	tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	return w, err
}

func say(text string) []provider.Message {
	return []provider.Message{{Role: provider.RoleUser, Text: text}}
}

func TestTheModelWritesForAServer(t *testing.T) {
	for name, c := range map[string]struct {
		reply providertest.Reply
		text  string
		cut   bool
	}{
		"a text":       {providertest.Reply{{Text: "Hel"}, {Text: "lo"}}, "Hello", false},
		"thoughts":     {providertest.Reply{{Thinking: "Hm."}, {Text: "<think>So"}, {Text: "</think>Hello"}}, "Hello", false},
		"no room":      {providertest.Reply{{Text: "Hel"}, {Done: "length"}}, "Hel", true},
		"without end":  {providertest.Reply{{Text: strings.Repeat("é", 100_000)}, {Block: true}}, strings.Repeat("é", 800), true},
		"broken bytes": {providertest.Reply{{Text: "a\xffb"}}, "a\uFFFDb", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &providertest.Script{Served: []providertest.Reply{c.reply}}
				w, err := inTool(t, model, loop.Aside{Messages: say("Write."), MaxTokens: 100})
				if err != nil || w.Text != c.text || w.Cut != c.cut || w.Model != "test:1b" || w.Tokens == 0 {
					t.Errorf("%+v, %v, want %q", w, err, c.text)
				}
				if req := model.ServerRequests()[0]; req.Context != model.Requests()[0].Context || req.Tools != nil || req.MaxTokens != 100 || req.Think != provider.ThinkOff {
					t.Errorf("the request is %+v", req)
				}
			})
		})
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	c := chat(&providertest.Script{}, nil)
	if _, err := c.Write(t.Context(), loop.Aside{Messages: say("Write."), MaxTokens: 10}); err == nil || !strings.Contains(err.Error(), "no model is in use yet") {
		t.Errorf("before any model was chosen: %v", err)
	}
	_, err := inTool(t, &providertest.Script{}, loop.Aside{Messages: say(strings.Repeat("word ", 100_000)), MaxTokens: 10})
	if err == nil || !strings.Contains(err.Error(), "the model holds 32.8k") {
		t.Errorf("a text that no context holds: %v", err)
	}
}

func TestImagesAreForModelsThatSee(t *testing.T) {
	for _, sees := range []bool{true, false} {
		model := &providertest.Script{Served: []providertest.Reply{{{Text: "A cat."}}}, Models: []provider.Info{{Name: "test:1b", Tools: true, Vision: sees, Context: 32768}}}
		picture := []provider.Message{{Role: provider.RoleUser, Text: "What is this?", Images: [][]byte{{1}}}}
		if _, err := inTool(t, model, loop.Aside{Messages: picture, MaxTokens: 10}); err != nil {
			t.Fatal(err)
		}
		if m := model.ServerRequests()[0].Messages[0]; (len(m.Images) == 1) != sees || strings.Contains(m.Text, "cannot see") == sees {
			t.Errorf("to a model that sees (%v) it said %+v", sees, m)
		}
	}
}

func TestTheConversationComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{{{Text: "It "}, {Wait: 10 * time.Second}, {Text: "is."}}}, Served: []providertest.Reply{{{Text: "Hello"}}}}
		c := chat(model, nil)
		began := time.Now()
		var wrote time.Duration
		var served sync.WaitGroup
		for ev := range c.Send(t.Context(), provider.Conversation{}, "Go") {
			if _, ok := ev.(provider.Text); ok && wrote == 0 {
				wrote = 1
				served.Go(func() {
					if _, err := c.Write(t.Context(), loop.Aside{Messages: say("Write."), MaxTokens: 10}); err != nil {
						t.Error(err)
					}
					wrote = time.Since(began)
				})
			}
		}
		served.Wait()
		if wrote < 10*time.Second {
			t.Errorf("the model wrote for a server after %v, in the middle of its answer", wrote)
		}
	})
}

func TestTheModelIsGivenUpAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Served: []providertest.Reply{{{Block: true}}}}
		c := chat(model, nil)
		c.Chosen()
		if c.InUse() != "test:1b" {
			t.Errorf("in use is %q", c.InUse())
		}
		if _, err := c.Write(t.Context(), loop.Aside{Messages: say("Write."), MaxTokens: 10}); err == nil || !strings.Contains(err.Error(), "longer than 5m") {
			t.Errorf("a model that says nothing: %v", err)
		}
	})
}

func TestAnAsideCostsTheCacheOfTheServer(t *testing.T) {
	for _, aside := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			model := &providertest.Script{Replies: []providertest.Reply{{calls("do_it")}, {{Phase: provider.PhaseReading}, {Text: "Done."}}}, Served: []providertest.Reply{{{Text: "Hello"}}}}
			var c *loop.Chat
			c = chat(model, toolbox{{"do_it", func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
				if aside {
					if _, err := c.Write(ctx, loop.Aside{Messages: say("Write."), MaxTokens: 10}); err != nil {
						t.Error(err)
					}
				}
				return mcpclient.Result{Text: "done"}, nil
			}}})
			c.System = strings.Repeat("There is much to be read. ", 200)
			story, _ := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
			if strings.Contains(story, "(Reading ") != aside {
				t.Errorf("with an aside (%v) the story is\n%s", aside, story)
			}
		})
	}
}

func TestALargerContextStays(t *testing.T) {
	model := &providertest.Script{Served: []providertest.Reply{{{Text: "Hello"}}}}
	if _, err := inTool(t, model, loop.Aside{Messages: say(strings.Repeat("word ", 8_000)), MaxTokens: 10}); err != nil {
		t.Fatal(err)
	}
	if served, after := model.ServerRequests()[0].Context, model.Requests()[1].Context; served <= 8192 || after != served {
		t.Errorf("a server's text took a context of %d, the next round one of %d: the model is loaded again", served, after)
	}
}
