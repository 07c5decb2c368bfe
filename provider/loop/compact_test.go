package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// talked is a conversation in which a tool returned size bytes in each turn.
func talked(turns, size int) provider.Conversation {
	var conv provider.Conversation
	for i := 1; i <= turns; i++ {
		id := fmt.Sprintf("call_%d", i)
		conv = conv.With(user(fmt.Sprintf("Question %d", i)), toolCall(id, "read_file", "{}"),
			toolResult(id, "read_file", strings.Repeat("r", size)),
			assistant(fmt.Sprintf("Answer %d. ", i)+strings.Repeat("a", size/4)))
	}
	return conv
}

// small is a model with a context of 8192 tokens, which is 28,672 bytes.
func small(r ...reply) *providertest.Script { return trained(8192, r) }

func said(messages []provider.Message) string {
	var all strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&all, "%s: %s\n", m.Role, m.Text)
	}
	return all.String()
}

func TestOldResultsAreDroppedFirst(t *testing.T) {
	model := small(reply{{Text: "Ok."}})
	_, ended := askIn(t, chat(model, toolbox{{"read_file", says("42")}}), talked(8, 2400), "And now?")
	if n := len(model.SummaryRequests()); n != 0 {
		t.Errorf("the model was asked for %d summaries", n)
	}
	sent := said(model.Requests()[0].Messages)
	hasAll(t, sent, "Question 1\n", "Answer 4. ", "Answer 8. ", "And now?")
	if n := strings.Count(sent, "left out to make room"); n != 5 { // all except the first and the last two
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
	hasAll(t, story, "(Compacting…)", "compacted: ")
	text := said(model.Requests()[0].Messages)
	hasAll(t, text, "What we said before, in short:\nThey talked about r.", "user: And now?")
	if strings.Contains(text, "hm") || !strings.HasPrefix(text, "system: You are aloud") {
		t.Errorf("the model gets\n%.2000s", text)
	}
	if ended.Conversation.Len() != 12*4+3 {
		t.Errorf("the conversation has %d messages", ended.Conversation.Len())
	}

	askIn(t, c, ended.Conversation, "And then?")
	if n := len(model.SummaryRequests()); n != 1 {
		t.Errorf("%d summaries were asked for: one makes room for some time", n)
	}
	hasAll(t, said(model.Requests()[1].Messages), "They talked", "user: And now?\nassistant: Ok.\nuser: And then?")
}

func TestSummaryFails(t *testing.T) {
	for name, summary := range map[string]reply{"error": {{Err: fmt.Errorf("boom")}}, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			model := small(reply{{Text: "Ok."}})
			model.Summary = summary
			_, ended := askIn(t, chat(model, nil), talked(12, 6000), "And now?")
			endsAs(t, ended, event.Done, "Ok.")
			hasAll(t, said(model.Requests()[0].Messages), "the user asked:\n- Question ")
		})
	}
}

func TestCompactByHand(t *testing.T) {
	model := small(reply{{Text: "Short."}}, reply{{Text: "Long."}})
	model.Summary = reply{{Text: "They talked."}}
	c := chat(model, nil)
	before := talked(6, 400)
	story, ended := tell(t, c.Compact(t.Context(), before), nil)
	hasAll(t, story, "compacted: ", "ended: done")
	if ended.Conversation.Len() != before.Len()+1 {
		t.Errorf("the conversation has %d messages", ended.Conversation.Len())
	}
	askIn(t, c, ended.Conversation, "Now?")
	askIn(t, c, before, "Now?")
	short, long := len(model.Requests()[0].Messages), len(model.Requests()[1].Messages)
	if short >= long || long != 1+before.Len()+1 {
		t.Errorf("the model gets %d messages, and without the summary %d", short, long)
	}
	story, _ = tell(t, c.Compact(t.Context(), provider.Conversation{}.With(user("Only one"))), nil)
	hasAll(t, story, "notice: Nothing to compact")
}

func TestCancelledCompactionChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := small()
		model.Summary = reply{{Text: "They"}, {Block: true}}
		ctx, cancel := withCancelAfter(t, 5e9)
		defer cancel()
		before := talked(6, 400)
		_, ended := tell(t, chat(model, nil).Compact(ctx, before), nil)
		if ended.Result.Stop.Reason != event.Cancelled || ended.Conversation.Len() != before.Len() {
			t.Errorf("the turn ended as %+v with %d messages", ended.Result.Stop, ended.Conversation.Len())
		}
	})
}

// A single long turn has nothing before its question, but its tool results can be dropped.
func TestCompactSingleLongTurn(t *testing.T) {
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
	text := said(model.Requests()[0].Messages)
	hasAll(t, text, "user: The task")
	if strings.Count(text, "left out to make room") != 3 || len(model.SummaryRequests()) != 0 {
		t.Errorf("the model gets\n%.2000s", text)
	}
}

// A dropped result tells the model to call the tool again if it needs it.
func TestDroppedResultIsReadAgain(t *testing.T) {
	model := small(reply{calls("read_first")})
	model.Replies = append(append(model.Replies, reads(5)...), reply{calls("read_first")}, reply{{Text: "Ok."}})
	tools := toolbox{{"read_first", says("the first")}, {"read_page", says(strings.Repeat("p", 6000))}}
	_, ended := ask(t, chat(model, tools), "Read it all")
	hasAll(t, said(last2(model.Requests()).Messages), "left out to make room")
	if again := ended.Result.ToolCalls[6]; again.Status != event.CallOK || again.Result != "the first" {
		t.Errorf("the call is %+v", again)
	}
	for i, call := range ended.Result.ToolCalls[1:6] {
		if len(call.Result) < 1000 { // older results make room first
			t.Errorf("page %d has only %d bytes", i, len(call.Result))
		}
	}
}
