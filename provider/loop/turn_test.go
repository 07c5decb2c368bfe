package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
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
	if r := ended.Result; r.Answer != "Hello" || r.Model != "test:1b" || r.Rounds != 0 || r.Usage.AnswerTokens != 4 || r.Usage.ContextSize != 8192 {
		t.Errorf("the result is %+v", r)
	}
}

func TestToolRound(t *testing.T) {
	model := script(replies{
		{{Text: "I look."}, calls(`read_file {"path":"a.txt"}`)},
		{{Text: "It says 42."}},
	})
	tools := toolbox{{"read_file", takes(3*time.Second, "42")}}
	story, ended := askFast(t, chat(model, tools), "What is in a.txt?")
	same(t, "story", story, `
		(Analyzing request…)
		(Formulating response…)
		text: I look.
		(Selecting appropriate tools…)
		called: call_1 Read File {"path":"a.txt"} pending
		(Using Read File…)
		finished: call_1 Read File ok
		(Processing tool results…)
		(Formulating response…)
		text: It says 42.
		ended: done`)
	same(t, "conversation", written(ended.Conversation), `
		user: What is in a.txt?
		assistant: I look. [call_1 box__read_file {"path":"a.txt"}]
		tool call_1 box__read_file: 42
		assistant: It says 42.`)
	r := ended.Result
	if r.Answer != "It says 42." || r.Rounds != 1 || len(r.ToolCalls) != 1 || r.ToolCalls[0].DurationMS != 3000 || r.Timing.Tools != 3000 {
		t.Errorf("the result is %+v", r)
	}
	for i, req := range model.Requests() {
		if len(req.Tools) != 1 || req.Messages[0].Role != provider.RoleSystem || req.Context != 8192 {
			t.Errorf("request %d is %+v", i, req)
		}
	}
}

func TestReadingToolsRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("read_slow", "read_fast")}, {{Text: "Both."}}})
		tools := toolbox{{"read_slow", takes(time.Hour, "slow")}, {"read_fast", takes(time.Minute, "fast")}}
		c := chat(model, tools)
		c.Limits.TotalTime = 2 * time.Hour
		began := time.Now()
		story, ended := ask(t, c, "Go")
		if took := time.Since(began); took != time.Hour {
			t.Errorf("the calls took %v, not as long as the slower one", took)
		}
		same(t, "story", story, `
			(Analyzing request…)
			(Selecting appropriate tools…)
			called: call_1 Read Slow {} pending
			called: call_2 Read Fast {} pending
			(Using 2 tools: Read Slow, Read Fast)
			finished: call_2 Read Fast ok
			(Using Read Slow…)
			finished: call_1 Read Slow ok
			(Processing tool results…)
			(Formulating response…)
			text: Both.
			ended: done`)
		same(t, "conversation", written(ended.Conversation), `
			user: Go
			assistant: [call_1 box__read_slow {}] [call_2 box__read_fast {}]
			tool call_1 box__read_slow: slow
			tool call_2 box__read_fast: fast
			assistant: Both.`)
	})
}

func TestToolsWithEffectsRunInOrder(t *testing.T) {
	model := script(replies{{calls("do_first", "do_second")}, {{Text: "Done."}}})
	var order []string
	note := func(name string) function {
		return func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
			time.Sleep(time.Second)
			order = append(order, name)
			return mcpclient.Result{Text: name}, nil
		}
	}
	tools := toolbox{{"do_first", note("first")}, {"do_second", note("second")}}
	_, ended := askFast(t, chat(model, tools), "Go")
	if fmt.Sprint(order) != "[first second]" || ended.Result.Timing.Tools != 2000 {
		t.Errorf("the calls ran as %v in %d ms", order, ended.Result.Timing.Tools)
	}
}

// strangers are tools of servers that are not trusted.
type strangers toolbox

func (s strangers) Tools() []mcpclient.Tool {
	tools := toolbox(s).Tools()
	for i := range tools {
		tools[i].Trusted = false
	}
	return tools
}

func (s strangers) Call(ctx context.Context, name string, arguments json.RawMessage, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
	return toolbox(s).Call(ctx, name, arguments, progress)
}

func TestAtMostFourAtOnce(t *testing.T) {
	model := script(replies{
		{calls(`read_page {"n":1}`, `read_page {"n":2}`, `read_page {"n":3}`, `read_page {"n":4}`, `read_page {"n":5}`)},
		{{Text: "Read."}},
	})
	tools := toolbox{{"read_page", takes(time.Second, "page")}}
	_, ended := askFast(t, chat(model, tools), "Go")
	if ms := ended.Result.Timing.Tools; ms != 2000 {
		t.Errorf("five calls of a second took %d ms", ms)
	}
}

func TestServersComeUp(t *testing.T) {
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

// slowTools has one server that needs a while.
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

func TestLoadingTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{
			{Phase: provider.PhaseLoading}, {Wait: 9 * time.Minute, Phase: provider.PhaseReading}, {Wait: time.Second, Text: "Hi"},
		}})
		var paused, worked []string
		c := chat(model, nil)
		for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			if e, ok := event.(status.State); ok {
				paused = append(paused, fmt.Sprintf("%s %v", e.Phase, e.Paused))
				worked = append(worked, e.Worked.String())
			}
			if e, ok := event.(provider.Ended); ok && e.Result.Stop.Reason != provider.Done {
				t.Errorf("loading the model used up the time: %+v", e.Result.Stop)
			}
		}
		if got := strings.Join(paused, ", "); !strings.Contains(got, "loading true, analyzing false, formulating false") {
			t.Errorf("the clock was paused as %s", got)
		}
		if last := worked[len(worked)-1]; last != "1s" {
			t.Errorf("the turn worked %s, not only the second after loading", last)
		}
	})
}

func TestModelWithoutTools(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Forever: true, Models: []provider.Info{{Name: "test:1b", Context: 8192}}}
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
	if ended.Result.Answer != "Hi" || model.Requests()[1].Think != provider.ThinkAuto {
		t.Errorf("the answer is %q, the second request %+v", ended.Result.Answer, model.Requests()[1])
	}
	refuses := &providertest.Script{Replies: replies{{{Err: refusal}}}, Forever: true}
	if _, ended := ask(t, chat(refuses, nil), "Hi"); ended.Result.Stop.Reason != provider.Failed {
		t.Errorf("a server that refuses for ever gave %+v", ended.Result.Stop)
	}
}

func TestServerFails(t *testing.T) {
	down := &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers", Hint: "start it"}
	_, ended := ask(t, chat(&providertest.Script{Down: down}, nil), "Hi")
	if !errors.Is(ended.Err, down) || ended.Result.Stop.Detail != "no server answers; start it" {
		t.Errorf("the turn ended with %v and %+v", ended.Err, ended.Result.Stop)
	}
	same(t, "conversation", written(ended.Conversation), "user: Hi")

	breaks := script(replies{{{Text: "Half an ans"}, {Err: errors.New("boom")}}})
	story, ended := ask(t, chat(breaks, nil), "Hi")
	same(t, "story", story, `
		(Analyzing request…)
		(Formulating response…)
		text: Half an ans
		(Stopped: an error)
		ended: error the model server failed: boom; try again`)
	same(t, "conversation", written(ended.Conversation), `
		user: Hi
		assistant partial: Half an ans`)

	half := reply{{Text: "Half"}, {Cut: true}}
	cut := script(replies{half, {{Cut: true}}, {{Text: "H"}, {Cut: true}}, {{Text: " and whole."}}})
	c := chat(cut, nil)
	_, ended = ask(t, c, "Hi")
	var e *provider.Error
	if !errors.As(ended.Err, &e) || e.Kind != provider.KindBroken || ended.Result.Answer != "Half" {
		t.Errorf("the turn ended with %v and %+v", ended.Err, ended.Result)
	}
	_, ended = tell(t, c.Resume(t.Context(), ended.Conversation), nil)
	same(t, "conversation", written(ended.Conversation), `
		user: Hi
		assistant partial: Half
		user: Go on from where you stopped.
		assistant:  and whole.`)
}

func TestApprovalThatCannotBeStored(t *testing.T) {
	model := script(replies{{calls("do_it")}, {{Text: "Done."}}})
	c := chat(model, toolbox{{"do_it", says("done")}})
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, func(string) error { return errors.New("the disk is full") })
	story, ended := ask(t, c, "Go", decide(provider.Decision{Allow: true, Always: true}))
	if !strings.Contains(story, "disk is full") || ended.Result.ToolCalls[0].Status != provider.CallOK {
		t.Errorf("the story is\n%s", story)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for _, test := range []struct {
		reply  reply
		reason provider.Reason
		notice string
	}{
		{reply{}, provider.GaveUp, "notice: No answer: the model gave an empty answer, even when asked again\n"},
		{reply{{Text: "[cannot]"}}, provider.GaveUp, "notice: The model gave up without a reason\n"},
		{reply{{Text: "Half"}, {Done: "length"}}, provider.Done, "notice: The answer was cut off: the context window of 8192 tokens is full\n"},
	} {
		model := &providertest.Script{Replies: replies{test.reply}, Forever: true}
		story, ended := ask(t, chat(model, nil), "Hi")
		if !strings.Contains(story, test.notice) || ended.Result.Stop.Reason != test.reason {
			t.Errorf("the story is\n%s", story)
		}
	}
}

func TestAServerThatCannotDescribeIsTried(t *testing.T) {
	model := &mute{Script: script(replies{{{Text: "Hi"}}}), times: -1}
	c := chat(nil, toolbox{{"read_file", says("")}})
	c.Model, c.System = model, "Speak like a pirate."
	_, ended := ask(t, c, "Hi")
	req := model.Requests()[0]
	if ended.Result.Answer != "Hi" || len(req.Tools) != 1 || !strings.HasSuffix(req.Messages[0].Text, "\n\nSpeak like a pirate.") {
		t.Errorf("the answer is %q to %+v", ended.Result.Answer, req)
	}
}

func TestADescriptionThatFailedIsAskedForAgain(t *testing.T) {
	model := &mute{Script: &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Forever: true}, times: 1}
	c := chat(nil, nil)
	c.Model = model
	for range 2 {
		ask(t, c, strings.Repeat("word ", 50_000))
	}
	if first, second := model.Requests()[0].Context, model.Requests()[1].Context; first != 32768 || second != 131072 {
		t.Errorf("the contexts are %d and %d", first, second)
	}
}

// mute is a model whose server cannot say what its models can do: so many times, or for ever.
type mute struct {
	*providertest.Script
	times int
}

func (m *mute) Describe(_ context.Context, name string) (provider.Info, error) {
	if m.times == 0 {
		return provider.Info{Name: name, Context: 131072}, nil
	}
	m.times--
	return provider.Info{}, errors.New("404 page not found")
}

func TestReadingTellsWhatIsReadAgainAfterLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{
			{{Phase: provider.PhaseReading}, {Text: "Long."}},
			{{Phase: provider.PhaseReading}, {Text: "Cached."}},
			{{Phase: provider.PhaseLoading}, {Wait: time.Second, Phase: provider.PhaseReading}, {Text: "Forgotten."}},
		})
		c := chat(model, nil)
		conv := provider.Conversation{}.With(user(strings.Repeat("word ", 7000)))
		var read []string
		for range model.Replies {
			for event := range observed(t, c, c.Send(t.Context(), conv, "Hi")) {
				switch e := event.(type) {
				case status.State:
					if e.Phase == status.Reading {
						read = append(read, e.Text)
					}
				case provider.Ended:
					conv = e.Conversation
				}
			}
		}
		if len(read) != 2 || read[0] != "Reading 10.1k tokens…" || read[1] != "Reading 10.1k tokens…" {
			t.Errorf("the line said %q: only what is new is read, which is too little for a word, but a model that was loaded anew has read nothing yet", read)
		}
	})
}

// TestWhatWasReadForABrokenReplyIsNotReadAgain: the server still has the long question in its cache.
func TestWhatWasReadForABrokenReplyIsNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thinks := reply{{Phase: provider.PhaseReading}}
		for range 20 {
			thinks = append(thinks, step{Thinking: "Hm. "})
		}
		c := chat(script(replies{thinks, {{Phase: provider.PhaseReading}, {Text: "Done."}}}), nil)
		c.Limits.ThinkingTokens = 10
		reading := 0
		for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, string(make([]byte, 8000)))) {
			if s, ok := event.(status.State); ok && s.Phase == status.Reading {
				reading++
			}
		}
		if reading != 1 {
			t.Errorf("it was told %d times that the question is read", reading)
		}
	})
}

func TestTheLastTextStandsInForAnEmptyAnswer(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "I think it is 42, but let me see."}, calls("read_file")}, {}}, Forever: true}
	story, ended := ask(t, chat(model, toolbox{{"read_file", says("42")}}), "Go")
	if ended.Result.Answer != "I think it is 42, but let me see." || !strings.Contains(story, "notice: The model's answer was empty. This is its previous text.") {
		t.Errorf("the answer is %q, the story\n%s", ended.Result.Answer, story)
	}
}
