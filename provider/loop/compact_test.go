package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// talked is a conversation of so many turns, in each of which a tool gave size bytes.
func talked(turns, size int) provider.Conversation {
	var conv provider.Conversation
	for i := range turns {
		id := fmt.Sprintf("call_%d", i+1)
		conv = conv.With(user(fmt.Sprintf("Question %d", i+1)),
			provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: id, Name: "box__read_file", Arguments: []byte(`{}`)}}},
			provider.Message{Role: provider.RoleTool, CallID: id, Tool: "box__read_file", Text: strings.Repeat("r", size)},
			provider.Message{Role: provider.RoleAssistant, Text: fmt.Sprintf("Answer %d. ", i+1) + strings.Repeat("a", size/4)})
	}
	return conv
}

// small is a model with a context of 8192 tokens, which is 28,672 bytes.
func small(replies ...reply) *providertest.Script {
	return &providertest.Script{Replies: replies, Models: []provider.Info{{Name: "test:1b", Tools: true, Context: 8192}}}
}

func said(messages []provider.Message) string {
	var all strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&all, "%s: %s\n", m.Role, m.Text)
	}
	return all.String()
}

func TestOldResultsGoFirst(t *testing.T) {
	model := small(reply{{Text: "Ok."}})
	_, ended := askIn(t, chat(model, toolbox{{"read_file", says("42")}}), talked(8, 2400), "And now?")
	if n := len(model.SummaryRequests()); n != 0 {
		t.Errorf("the model was asked for %d summaries", n)
	}
	sent := said(model.Requests()[0].Messages)
	for _, want := range []string{"Question 1\n", "Answer 4. ", "Answer 8. ", "And now?"} {
		if !strings.Contains(sent, want) {
			t.Errorf("%q is not sent", want)
		}
	}
	if n := strings.Count(sent, "left out to make room"); n != 5 { // all but the first, the last two and the present turn
		t.Errorf("%d results were left out", n)
	}
	if n := strings.Count(said(ended.Conversation.Messages()), strings.Repeat("r", 2400)); n != 8 {
		t.Errorf("the conversation has kept %d results", n)
	}
}

func TestOlderTurnsAreSummarised(t *testing.T) {
	model := small(reply{{Text: "Ok."}}, reply{{Text: "Still."}})
	model.Summary = reply{{Text: "<think>hm</think>They talked "}, {Text: "about r."}}
	c := chat(model, toolbox{{"read_file", says("42")}})
	story, ended := askIn(t, c, talked(12, 6000), "And now?")
	if !strings.Contains(story, "(Compacting…)") || !strings.Contains(story, "compacted: ") {
		t.Errorf("the story is\n%s", story)
	}
	sent := model.Requests()[0].Messages
	text := said(sent)
	if !strings.Contains(text, "What we said before, in short:\nThey talked about r.") || strings.Contains(text, "hm") || !strings.Contains(text, "user: And now?") {
		t.Errorf("the model gets\n%.2000s", text)
	}
	if sent[0].Role != provider.RoleSystem || !strings.Contains(sent[0].Text, "aloud") {
		t.Errorf("the system prompt is %+v", sent[0])
	}
	if ended.Conversation.Len() != 12*4+3 {
		t.Errorf("the conversation has %d messages", ended.Conversation.Len())
	}

	_, ended = askIn(t, c, ended.Conversation, "And then?")
	if n := len(model.SummaryRequests()); n != 1 {
		t.Errorf("%d summaries were asked for: one makes room for some time", n)
	}
	if text := said(model.Requests()[1].Messages); !strings.Contains(text, "They talked") || !strings.Contains(text, "user: And now?\nassistant: Ok.\nuser: And then?") {
		t.Errorf("the model gets\n%.2000s", text)
	}
}

func TestASummaryThatFailsIsNoReasonToFail(t *testing.T) {
	for name, summary := range map[string]reply{"error": {{Err: fmt.Errorf("boom")}}, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			model := small(reply{{Text: "Ok."}})
			model.Summary = summary
			_, ended := askIn(t, chat(model, nil), talked(12, 6000), "And now?")
			if text := said(model.Requests()[0].Messages); ended.Result.Answer != "Ok." || !strings.Contains(text, "the person asked:\n- Question ") {
				t.Errorf("the model gets\n%.2000s", text)
			}
		})
	}
}

func TestCompactByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := small(reply{{Text: "Short."}}, reply{{Text: "Long."}})
		model.Summary = reply{{Text: "They talked."}}
		c := chat(model, nil)
		before := talked(6, 400)
		story, ended := tell(t, c.Compact(t.Context(), before), nil)
		if !strings.Contains(story, "compacted: ") || ended.Result.Stop.Reason != provider.Done || ended.Conversation.Len() != before.Len()+1 {
			t.Fatalf("the story is\n%s", story)
		}
		_, short := askIn(t, c, ended.Conversation, "Now?")
		askIn(t, c, before, "Now?")
		first, second := model.Requests()[0], model.Requests()[1]
		if len(first.Messages) >= len(second.Messages) || len(second.Messages) != 1+before.Len()+1 {
			t.Errorf("the model gets %d messages, and without the summary %d", len(first.Messages), len(second.Messages))
		}
		if short.Result.Answer != "Short." {
			t.Errorf("the answer is %q", short.Result.Answer)
		}

		story, _ = tell(t, c.Compact(t.Context(), provider.Conversation{}.With(user("Only one"))), nil)
		if !strings.Contains(story, "notice: Nothing to compact") {
			t.Errorf("the story is\n%s", story)
		}
	})
}

func TestACancelledCompactionChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := small()
		model.Summary = reply{{Text: "They"}, {Block: true}}
		ctx, cancel := withCancelAfter(t, 5e9)
		defer cancel()
		before := talked(6, 400)
		_, ended := tell(t, chat(model, nil).Compact(ctx, before), nil)
		if ended.Result.Stop.Reason != provider.Cancelled || ended.Conversation.Len() != before.Len() {
			t.Errorf("the turn ended as %+v with %d messages", ended.Result.Stop, ended.Conversation.Len())
		}
	})
}

// A single long turn has nothing before its question. What its tools gave can go.
func TestCompactingASingleLongTurn(t *testing.T) {
	conv := provider.Conversation{}.With(user("The task"))
	for _, m := range talked(4, 4000).Messages() {
		if m.Role != provider.RoleUser {
			conv = conv.With(m)
		}
	}
	model := small(reply{{Text: "Ok."}})
	c := chat(model, nil)
	_, ended := tell(t, c.Compact(t.Context(), conv), nil)
	askIn(t, c, ended.Conversation, "And now?")
	if text := said(model.Requests()[0].Messages); strings.Count(text, "left out to make room") != 3 || !strings.Contains(text, "user: The task") || len(model.SummaryRequests()) != 0 {
		t.Errorf("the model gets\n%.2000s", text)
	}
}

// A result that was left out may be asked for again, as the model is told.
func TestWhatWasLeftOutIsReadAgain(t *testing.T) {
	replies := replies{{calls("read_first")}}
	for i := range 5 {
		replies = append(replies, reply{calls(fmt.Sprintf(`read_page {"n":%d}`, i))})
	}
	model := small(append(replies, reply{calls("read_first")}, reply{{Text: "Ok."}})...)
	tools := toolbox{{"read_first", says("the first")}, {"read_page", says(strings.Repeat("p", 6000))}}
	_, ended := ask(t, chat(model, tools), "Read it all")
	again := ended.Result.ToolCalls[6]
	if again.Status != provider.CallOK || again.Result != "the first" || !strings.Contains(said(last2(model.Requests()).Messages), "left out to make room") {
		t.Errorf("the call is %+v", again)
	}
	for i, call := range ended.Result.ToolCalls[1:6] {
		if len(call.Result) < 1000 { // older results made room first
			t.Errorf("page %d has only %d bytes", i, len(call.Result))
		}
	}
}
