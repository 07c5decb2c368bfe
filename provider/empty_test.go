package provider_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

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
