package provider_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestAnEmptyAnswerAfterToolsIsAskedForAgain(t *testing.T) {
	model := &provider.Script{Replies: []provider.Reply{{calls("read_file")}, {{Thinking: "It says 42."}}, {{Text: "42."}}}}
	_, ended := tell(t, chat(model, toolbox{{"read_file", says("42")}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if r := model.Requests()[2]; len(r.Tools) != 0 || r.Think != provider.ThinkOff {
		t.Errorf("it was asked again with %d tools and think %q", len(r.Tools), r.Think)
	}
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: [call_1 box__read_file {}]
		tool call_1 box__read_file: 42
		assistant: (It says 42.) 42.`)
}

func TestTheLastTextStandsInForAnEmptyAnswer(t *testing.T) {
	model := &provider.Script{Replies: []provider.Reply{{{Text: "I think it is 42, but let me see."}, calls("read_file")}, {}}, Forever: true}
	story, ended := tell(t, chat(model, toolbox{{"read_file", says("42")}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if ended.Result.Answer != "I think it is 42, but let me see." || !strings.Contains(story, "notice: The model gave an empty answer; this is what it had said before.") {
		t.Errorf("the answer is %q, the story\n%s", ended.Result.Answer, story)
	}
}

func TestAnEmptyAnswerSaysWhy(t *testing.T) {
	for want, replies := range map[string][]provider.Reply{
		"the model only thought and gave no answer, also when it was asked again": {{{Thinking: "Hm"}}, {{Thinking: "Hm"}}},
		"the model gave an empty answer, also when it was asked again":            {{}, {}},
	} {
		_, ended := tell(t, chat(&provider.Script{Replies: replies}, nil).Send(t.Context(), provider.Conversation{}, "Go"), nil)
		if stop := ended.Result.Stop; stop.Reason != provider.GaveUp || stop.Detail != want || ended.Result.Answer != "" {
			t.Errorf("the turn ended with %+v, want %q", stop, want)
		}
	}
}

func TestACallThatTheServerSwallowedIsAskedForAgain(t *testing.T) {
	swallowed := provider.Reply{{Done: "stop", Usage: provider.Usage{AnswerTokens: 30}}}
	model := &provider.Script{Replies: []provider.Reply{swallowed, {calls("read_file")}, swallowed, swallowed, {{Text: "42."}}}}
	_, ended := tell(t, chat(model, toolbox{{"read_file", says("42")}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	requests := model.Requests()
	if hint := last(requests[1].Messages); len(requests[1].Tools) != 1 || !strings.Contains(hint.Text, "box__read_file") {
		t.Errorf("the model was told %+v", hint)
	}
	if len(requests[3].Tools) != 1 || len(requests[4].Tools) != 0 || ended.Result.Answer != "42." || ended.Result.Rounds != 1 {
		t.Errorf("in the end it was asked with %d tools, and the result is %+v", len(requests[4].Tools), ended.Result)
	}
}

func TestThinkingWithoutEnd(t *testing.T) {
	endless := make(provider.Reply, 400)
	for i := range endless {
		endless[i] = provider.Step{Thinking: "Wait. "}
	}
	model := &provider.Script{Replies: []provider.Reply{endless, {{Text: "42."}}}}
	c := chat(model, nil)
	c.Limits.ThinkingTokens = 300
	story, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if r := model.Requests()[1]; r.Think != provider.ThinkOff || !strings.Contains(last(r.Messages).Text, "thought long enough") {
		t.Errorf("the second request is %+v", r)
	}
	if n := strings.Count(story, "Wait. "); ended.Result.Answer != "42." || n != 301 || !strings.Contains(story, "notice: The model thought for more than 300 tokens") {
		t.Errorf("after %d thoughts the answer is %q", n, ended.Result.Answer)
	}

	model = &provider.Script{Replies: []provider.Reply{endless}, Forever: true}
	c.Model = model
	if _, ended = tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil); len(model.Requests()) != 4 || !strings.Contains(ended.Result.Stop.Detail, "only thought") {
		t.Errorf("%d requests, then %+v", len(model.Requests()), ended.Result.Stop)
	}
}

// A stray tag at the end of long thoughts is the end of them: the answer is on its way.
func TestThoughtsThatHaveEndedAreNotCutShort(t *testing.T) {
	model := &provider.Script{Replies: []provider.Reply{{{Text: strings.Repeat("Wait. ", 400)}, {Text: "\n</think>\n\n4"}, {Text: "2."}}}}
	c := chat(model, nil)
	c.Limits.ThinkingTokens = 100
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if n := len(model.Requests()); n != 1 || ended.Result.Answer != "42." {
		t.Errorf("after %d requests the answer is %q", n, ended.Result.Answer)
	}
}
