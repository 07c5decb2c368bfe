package loop_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// full is the last step of a reply that filled a context window of 8.2k tokens.
var full = step{Done: provider.ReasonLength, Usage: provider.Usage{PromptTokens: 8000, AnswerTokens: 192}}

func TestCutAnswerEndsAsLength(t *testing.T) {
	huge := varied(provider.MaxText)
	for name, test := range map[string]struct {
		reply  reply
		answer string
		detail string
		limit  any
	}{
		"a full window": {reply{{Text: "Half"}, full}, "Half", "the context window of 8.2k tokens is full", 8192},
		"only thinking": {reply{{Thinking: "Hm"}, full}, "", "the context window of 8.2k tokens is full", 8192},
		"nothing":       {reply{full}, "", "the context window of 8.2k tokens is full", 8192},
		"a limit of tokens": {
			reply{{Text: "Half"}, {Done: "length", Usage: provider.Usage{PromptTokens: 20, AnswerTokens: 512}}}, "Half",
			"the model server's limit of 512 tokens is reached", 512,
		},
		"a limit of tokens after a long prompt": {
			reply{{Text: "Half"}, {Done: "length", Usage: provider.Usage{PromptTokens: 2500, AnswerTokens: 4096}}}, "Half",
			"the model server's limit of 4096 tokens is reached", 4096,
		},
		"an unknown limit": {
			reply{{Text: "Half"}, {Done: "length", Usage: provider.Usage{PromptTokens: 20}}}, "Half",
			"the model server's limit of tokens is reached", nil,
		},
		"the size": {
			reply{{Text: huge}, {Text: "more"}}, huge + "mor\n[cut: 4 MB]", "the answer is longer than 4 MB", provider.MaxText,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := chat(&providertest.Script{Replies: replies{test.reply}, Forever: true}, nil)
			_, ended := ask(t, c, "Hi")
			if s := ended.Result.Stop; s.Reason != event.Length || s.Detail != test.detail || s.Limit != test.limit {
				t.Errorf("it ended as %+v", s)
			}
			if answer := ended.Result.Answer; answer != test.answer && name != "the size" || len(answer) < len(test.answer)-4 {
				t.Errorf("the answer is %.100q", answer)
			}
		})
	}
}

// TestAnswerThatFillsTheContextEndsAsLength has the error that LM Studio sends in the middle of such an answer.
func TestAnswerThatFillsTheContextEndsAsLength(t *testing.T) {
	filled := &provider.Error{Kind: provider.KindTooLong, Text: "too long", Window: 4096}
	for name, test := range map[string]struct {
		begun   reply
		context int // 0 if unknown
		detail  string
		limit   any
	}{
		"text":           {reply{{Thinking: "Hm."}, {Text: "Once"}}, 4096, "the context window of 4.1k tokens is full", 4096},
		"part of a call": {reply{{Text: `{"name":"box__read_`}}, 4096, "the context window of 4.1k tokens is full", 4096},
		"unknown size":   {reply{{Text: "Once"}}, 0, "the context window is full", nil},
	} {
		model := &providertest.Script{Replies: replies{append(test.begun, step{Err: filled}), {{Text: "Ok."}}},
			Models:  []provider.Info{{Name: "test:1b", Tools: true, Fixed: true, Context: test.context}},
			Summary: reply{{Text: "Sum"}}}
		c := chat(model, toolbox{{"read_file", says("42")}})
		_, ended := ask(t, c, "Write a long story")
		want := event.Stop{Reason: event.Length, Cause: event.WindowFull, Limit: test.limit, Value: test.context}.Told("")
		if s := ended.Result.Stop; s != want || s.Detail != test.detail || ended.Err != nil || len(model.Requests()) != 1 {
			t.Errorf("%s: after %d requests it ended as %+v", name, len(model.Requests()), s)
		}
		if text := last(ended.Conversation.Messages()).Text; text != last2(test.begun).Text {
			t.Errorf("%s: %q is kept", name, text)
		}
		if _, ended = askIn(t, c, talked(2, 2000), "Hi"); len(model.SummaryRequests()) > 0 {
			t.Errorf("%s: then a short conversation is summarised: %+v", name, ended.Result.Usage)
		}
	}
}

func TestCutAnswerGoesOn(t *testing.T) {
	model := script(replies{{{Text: "One, two"}, full}, {{Text: ", three."}}})
	_, ended := ask(t, chat(model, nil), "Count")
	endsAs(t, ended, event.Length, "One, two")
	_, ended = tell(t, chat(model, nil).SendAll(t.Context(), ended.Conversation), nil)
	endsAs(t, ended, event.Done, ", three.")
	same(t, "conversation", written(ended.Conversation), `
		user: Count
		assistant partial: One, two
		user: Go on from where you stopped.
		assistant: , three.`)
	if sent := model.Requests()[1].Messages; sent[2].Text != "One, two" {
		t.Errorf("the model read %+v", sent)
	}
}

// The last request after a limit does not change the reason.
func TestCutLastAnswerKeepsTheLimit(t *testing.T) {
	for _, last := range []reply{{{Text: "One"}, full}, {{Thinking: "Hm"}, full}} {
		c := chat(script(append(reads(1), last, last)), toolbox{{"read_page", says("page")}})
		c.Limits.Iterations = 1
		_, ended := ask(t, c, "Read")
		endsAs(t, ended, event.Iterations, last[0].Text)
		hasAll(t, ended.Result.Stop.Detail, "[Unable to complete task: 1 tool round used",
			"the context window of 8.2k tokens is full")
	}
}

func TestOtherReasonsComeBeforeLength(t *testing.T) {
	_, ended := ask(t, chat(script(replies{{{Text: "[cannot] No"}, full}}), nil), "Hi")
	endsAs(t, ended, event.GaveUp, "No")
	_, ended = ask(t, chat(script(replies{{calls("read_page"), full}, {{Text: "A page."}}}),
		toolbox{{"read_page", says("page")}}), "Hi")
	endsAs(t, ended, event.Done, "A page.", event.CallOK)
}
