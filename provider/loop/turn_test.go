package loop_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

func TestAnswer(t *testing.T) {
	model := script(replies{{
		{Phase: provider.PhaseReading}, {Thinking: "A greet"}, {Thinking: "ing."}, {Text: "Hel"}, {Text: "lo"},
	}})
	story, ended := askFast(t, chat(model, nil), "Hi")
	same(t, "story", story, `
		(Analyzing request…)
		(Thinking…)
		thinking: A greeting.
		(Formulating response…)
		text: Hello
		ended: done`)
	same(t, "conversation", written(ended.Conversation), `
		user: Hi
		assistant: (A greeting.) Hello`)
	endsAs(t, ended, event.Done, "Hello")
	r := ended.Result
	if r.Model != "test:1b" || r.Rounds != 0 || r.Usage.AnswerTokens != 4 || r.Usage.ContextSize != 8192 {
		t.Errorf("the result is %+v", r)
	}
}

func TestToolRound(t *testing.T) {
	model := script(replies{{{Text: "I look."}, calls(`read_file {"path":"a.txt"}`)}, {{Text: "It says 42."}}})
	tools := toolbox{{"read_file", takes(3*time.Second, "42")}}
	story, ended := askFast(t, chat(model, tools), "What is in a.txt?")
	hasAll(t, story, "called: call_1 Read File {\"path\":\"a.txt\"} pending\n(Using Read File…)\n"+
		"finished: call_1 Read File ok\n(Processing tool results…)\n")
	same(t, "conversation", written(ended.Conversation), `
		user: What is in a.txt?
		assistant: I look. [call_1 box__read_file {"path":"a.txt"}]
		tool call_1 box__read_file: 42
		assistant: It says 42.`)
	endsAs(t, ended, event.Done, "It says 42.", event.CallOK)
	if r := ended.Result; r.Rounds != 1 || r.ToolCalls[0].DurationMS != 3000 || r.Timing.Tools != 3000 {
		t.Errorf("the result is %+v", r)
	}
	for i, req := range model.Requests() {
		if len(req.Tools) != 1 || req.Messages[0].Role != provider.RoleSystem || req.Context != 8192 {
			t.Errorf("request %d is %+v", i, req)
		}
	}
}

func TestReadingToolsRunTogether(t *testing.T) {
	model := script(replies{{calls("read_slow", "read_fast")}, {{Text: "Both."}}})
	tools := toolbox{{"read_slow", takes(5*time.Minute, "slow")}, {"read_fast", takes(time.Minute, "fast")}}
	story, ended := askFast(t, chat(model, tools), "Go")
	if ms := ended.Result.Timing.Total; ms != 300_000 {
		t.Errorf("the calls took %d ms, not as long as the slower one", ms)
	}
	hasAll(t, story, "called: call_2 Read Fast {} pending\n(Using 2 tools: Read Slow, Read Fast)\n"+
		"finished: call_2 Read Fast ok\n(Using Read Slow…)\nfinished: call_1 Read Slow ok\n")
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: [call_1 box__read_slow {}] [call_2 box__read_fast {}]
		tool call_1 box__read_slow: slow
		tool call_2 box__read_fast: fast
		assistant: Both.`)
}

// strangers are tools of servers that are not trusted.
type strangers struct{ toolbox }

func (s strangers) Tools() []mcpclient.Tool {
	tools := s.toolbox.Tools()
	for i := range tools {
		tools[i].Trusted = false
	}
	return tools
}

func TestWaitForServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{{Text: "Hi"}}})
		c := chat(model, nil)
		c.Tools = &slowTools{ready: time.Now().Add(5 * time.Second)}
		story, _ := ask(t, c, "Hi")
		same(t, "story", story, `
			(Connecting to servers (0/1))
			(Analyzing request…)
			(Formulating response…)
			text: Hi
			ended: done`)
	})
}

// slowTools has one server that starts slowly.
type slowTools struct {
	toolbox
	ready time.Time
}

func (s *slowTools) Starting() (settled, all int, changed <-chan struct{}) {
	if !time.Now().Before(s.ready) {
		return 1, 1, nil
	}
	done := make(chan struct{})
	time.AfterFunc(time.Until(s.ready), func() { close(done) })
	return 0, 1, done
}

func TestModelWithoutTools(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Forever: true}
	model.Models = []provider.Info{{Name: "test:1b", Context: 8192}}
	c := chat(model, toolbox{{"read_file", says("")}})
	first, ended := ask(t, c, "Hi")
	same(t, "first turn", first, `
		(Analyzing request…)
		notice: test:1b cannot use tools. The chat continues without them.
		(Formulating response…)
		text: Hi
		ended: done`)
	second, _ := askIn(t, c, ended.Conversation, "Hi again")
	if strings.Contains(second, "notice") {
		t.Errorf("it was said twice:\n%s", second)
	}
	if n := len(model.Requests()[0].Tools); n != 0 {
		t.Errorf("%d tools were offered", n)
	}
}

func TestServerRefusesThinking(t *testing.T) {
	refusal := &provider.Error{Kind: provider.KindNoThinking, Text: "test:1b does not support thinking"}
	model := script(replies{{{Err: refusal}}, {{Text: "Hi"}}})
	c := chat(model, nil)
	c.Think = provider.ThinkOn
	_, ended := ask(t, c, "Hi")
	endsAs(t, ended, event.Done, "Hi")
	if think := model.Requests()[1].Think; think != provider.ThinkAuto {
		t.Errorf("the second request asks for %q", think)
	}
	_, ended = ask(t, chat(&providertest.Script{Replies: replies{{{Err: refusal}}}, Forever: true}, nil), "Hi")
	endsAs(t, ended, event.Failed, "")
}

func TestServerFails(t *testing.T) {
	down := &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers", Hint: "start it"}
	_, ended := ask(t, chat(&providertest.Script{Down: down}, nil), "Hi")
	if !errors.Is(ended.Err, down) || ended.Result.Stop.Detail != "no server answers; start it" {
		t.Errorf("the turn ended with %v and %+v", ended.Err, ended.Result.Stop)
	}
	same(t, "conversation", written(ended.Conversation), "user: Hi")

	story, ended := ask(t, chat(script(replies{{{Text: "Half an ans"}, {Err: errors.New("boom")}}}), nil), "Hi")
	same(t, "story", story, `
		(Analyzing request…)
		(Formulating response…)
		text: Half an ans
		(Stopped: an error)
		ended: error the model server failed: boom; try again`)
	same(t, "conversation", written(ended.Conversation), `
		user: Hi
		assistant partial: Half an ans`)

	half := reply{{Thinking: "Hm."}, {Text: "Half"}, {Cut: true}}
	c := chat(script(replies{half, {{Cut: true}}, {{Text: "H"}, {Cut: true}}, {{Text: " and whole."}}}), nil)
	_, ended = ask(t, c, "Hi")
	endsAs(t, ended, event.Failed, "Half")
	if want := "the model server ended its reply in the middle; ask again"; ended.Result.Stop.Detail != want {
		t.Errorf("the turn ended with %q", ended.Result.Stop.Detail)
	}
	_, ended = tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
	same(t, "conversation", written(ended.Conversation), `
		user: Hi
		assistant partial: (Hm.) Half
		user: Go on from where you stopped.
		assistant:  and whole.`)
}

func TestApprovalThatCannotBeStored(t *testing.T) {
	c := chat(rounds([][]string{{"do_it"}}), toolbox{{"do_it", says("done")}})
	full := func(string) error { return errors.New("the disk is full") }
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, full)
	story, ended := ask(t, c, "Go", decide(event.Decision{Allow: true, Always: true}))
	hasAll(t, story, "notice: Approved for this session only: ", "the disk is full\n")
	endsAs(t, ended, event.Done, "Over.", event.CallOK)
}

func TestNoAnswer(t *testing.T) {
	for _, test := range []struct {
		reply  reply
		reason event.Reason
		notice string
	}{
		{reply{}, event.GaveUp, "No answer: the model gave an empty answer, even when asked again"},
		{reply{{Thinking: "Hm"}}, event.GaveUp, "No answer: the model only thought and gave no answer, even when "},
		{reply{{Text: "[cannot]"}}, event.GaveUp, "The model gave up without a reason"},
	} {
		story, ended := ask(t, chat(&providertest.Script{Replies: replies{test.reply}, Forever: true}, nil), "Hi")
		hasAll(t, story, "notice: "+test.notice)
		if stop := ended.Result.Stop; stop.Reason != test.reason {
			t.Errorf("it ended as %+v", stop)
		}
	}
}

func TestDescribeFails(t *testing.T) {
	model := &mute{Script: &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Forever: true}}
	c := chat(nil, toolbox{{"read_file", says("")}})
	c.Model, c.System = model, "Speak like a pirate."
	for range 2 { // the description is requested again
		ask(t, c, strings.Repeat("word ", 50_000))
	}
	first, second := model.Requests()[0], model.Requests()[1]
	hasAll(t, first.Messages[0].Text, "\n\nSpeak like a pirate.")
	if len(first.Tools) != 1 || first.Context != 32768 || second.Context != 131072 {
		t.Errorf("%d tools were offered; the contexts are %d and %d", len(first.Tools), first.Context, second.Context)
	}
}

// mute is a model that cannot be described the first time.
type mute struct {
	*providertest.Script
	asked bool
}

func (m *mute) Describe(_ context.Context, name string) (provider.Info, error) {
	if m.asked {
		return provider.Info{Name: name, Tools: true, Context: 131072}, nil
	}
	m.asked = true
	return provider.Info{}, errors.New("404 page not found")
}

// readings returns the texts of the status line about reading the prompt, and the end of the turn.
func readings(t *testing.T, c *loop.Chat, conv provider.Conversation) (said []string, ended event.Ended) {
	t.Helper()
	for ev := range observed(t, c, c.Send(t.Context(), conv, "Hi")) {
		switch e := ev.(type) {
		case status.State:
			if e.Phase == status.Reading {
				said = append(said, e.Text)
			}
		case event.Ended:
			ended = e
		}
	}
	return said, ended
}

// Another program may have left the prompt in the cache. Then only new text is read, which is too little to mention,
// but a reloaded model has to read everything.
func TestReadingAfterReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := step{Phase: provider.PhaseReading}
		loads := reply{{Phase: provider.PhaseLoading}, {Wait: time.Second}, read, {Text: "Forgotten."}}
		model := script(replies{{read, {Text: "Long."}}, {read, {Text: "Cached."}}, loads})
		model.Models = unthinking
		c := chat(model, nil)
		conv := provider.Conversation{}.With(user(strings.Repeat("word ", 7000)))
		var all []string
		for range 3 {
			said, ended := readings(t, c, conv)
			all, conv = append(all, said...), ended.Conversation
		}
		if got := strings.Join(all, " "); got != "Reading the prompt… Reading about 10.1k tokens…" {
			t.Errorf("the line said %s", got)
		}
	})
}

// The server still has the long prompt in its cache.
func TestReadingAfterBrokenReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thinks := append(reply{{Phase: provider.PhaseReading}}, endless(20)...)
		c := chat(script(replies{thinks, {{Phase: provider.PhaseReading}, {Text: "Done."}}}), nil)
		c.Limits.ThinkingTokens = 10
		conv := provider.Conversation{}.With(user(string(make([]byte, 8000))))
		if said, _ := readings(t, c, conv); len(said) != 1 {
			t.Errorf("the line said %q", said)
		}
	})
}

func TestEarlierTextReplacesEmptyAnswer(t *testing.T) {
	const text = "I think it is 42, but let me see."
	model := &providertest.Script{Replies: replies{{{Text: text}, calls("read_file")}, {}}, Forever: true}
	story, ended := ask(t, chat(model, toolbox{{"read_file", says("42")}}), "Go")
	endsAs(t, ended, event.Done, text, event.CallOK)
	hasAll(t, story, "notice: The model's answer was empty. This is its previous text.")
}

func TestErrorAfterEmptyAnswerIsNotReplaced(t *testing.T) {
	const text = "I think it is 42, but let me see."
	gone := &provider.Error{Kind: provider.KindFailed, Text: "the model was unloaded"}
	model := script(replies{{{Text: text}, calls("read_file")}, {}, {{Err: gone}}})
	story, ended := ask(t, chat(model, toolbox{{"read_file", says("42")}}), "Go")
	endsAs(t, ended, event.Failed, "", event.CallOK)
	hasAll(t, ended.Result.Stop.Detail, "the model was unloaded")
	if strings.Contains(story, "previous text") {
		t.Errorf("the error was replaced:\n%s", story)
	}
}

// A turn works with a copy of the settings.
func TestTurnKeepsItsSettings(t *testing.T) {
	model := &providertest.Script{Replies: replies{{calls("read_file")}, {{Text: "Done."}}}}
	c := chat(model, toolbox{{"read_file", says("42")}})
	for ev := range c.Send(t.Context(), provider.Conversation{}, "Go") {
		if _, ok := ev.(event.ToolFinished); ok {
			c.Name, c.Tools, c.Limits.Iterations = "another:8b", nil, 1
		}
	}
	requests := model.Requests()
	if last := requests[len(requests)-1]; len(requests) != 2 || last.Model != "test:1b" || len(last.Tools) != 1 {
		t.Errorf("the last of %d requests is to %q with %d tools", len(requests), last.Model, len(last.Tools))
	}
}

// What you say during a turn goes with the next request, after the results, and a call may then be made again.
func TestSteerAddsMessageAfterResults(t *testing.T) {
	read := providertest.Reply{calls(`read_file {"path":"a.txt"}`)}
	model := script(replies{read, read, {{Text: "It is 42."}}})
	c := chat(model, toolbox{{"read_file", says("42")}})
	var said [][]provider.Message
	said = append(said, nil, []provider.Message{{Role: provider.RoleUser, Text: "Look\xffagain."}}, nil)
	c.Steer = func() (next []provider.Message) {
		next, said = said[0], said[1:]
		return next
	}
	_, ended := askFast(t, c, "What is in a.txt?")
	same(t, "conversation", written(ended.Conversation), `
		user: What is in a.txt?
		assistant: [call_1 box__read_file {"path":"a.txt"}]
		tool call_1 box__read_file: 42
		user: Look�again.
		assistant: [call_2 box__read_file {"path":"a.txt"}]
		tool call_2 box__read_file: 42
		assistant: It is 42.`)
	endsAs(t, ended, event.Done, "It is 42.", event.CallOK, event.CallOK)
	for i, req := range model.Requests()[1:] {
		if before := model.Requests()[i].Messages; !reflect.DeepEqual(req.Messages[:len(before)], before) {
			t.Errorf("request %d does not begin with the one before it", i+1)
		}
	}
}
