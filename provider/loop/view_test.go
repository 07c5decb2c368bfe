package loop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// What strict servers refuse is never sent, wherever the conversation comes from.
func TestWhatIsSentIsWhatServersTake(t *testing.T) {
	call := func(id string) provider.Message {
		return provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: id, Name: "box__read_file", Arguments: []byte("{}")}}}
	}
	result := func(id, text string) provider.Message {
		return provider.Message{Role: provider.RoleTool, CallID: id, Tool: "box__read_file", Text: text}
	}
	says := func(text string) provider.Message { return provider.Message{Role: provider.RoleAssistant, Text: text} }
	summary := func(text string, from, until int) provider.Message {
		return provider.Message{Role: provider.RoleSummary, Text: text, Covers: &provider.Span{From: from, Until: until}}
	}
	picture := provider.Message{Role: provider.RoleUser, Text: "Look", Images: [][]byte{{1}}}
	const short = "user: What we said before, in short:\nThey talked.\nassistant: I have that in mind.\n"
	for name, test := range map[string]struct {
		conversation []provider.Message
		want         string
	}{
		"an answer that never came": {
			[]provider.Message{user("One"), {Role: provider.RoleAssistant, Thinking: "Hm."}, user("Two"), says(" \n"), user("Three"), says("Yes.")},
			"user: One\n\nTwo\n\nThree\nassistant: Yes.\n"},
		"questions that were stopped, one with a picture": {
			[]provider.Message{says("Welcome."), user("One"), picture, user("Two"), says("Yes."), user("Three")},
			"assistant: Welcome.\nuser: One\n\nLook\n\nTwo\nassistant: Yes.\nuser: Three\n\nAnd?"},
		"a result that nobody asked for": {
			[]provider.Message{result("x", "lost"), user("One"), call("1"), result("1", "42"), result("1", "43"), result("2", "44"), says("42.")},
			"user: One\nassistant: [1 box__read_file {}]\ntool 1 box__read_file: 42\nassistant: 42.\n"},
		"a summary that ends between a call and its result": {
			[]provider.Message{user("One"), call("1"), result("1", "42"), says("42."), summary("They talked.", 0, 2)},
			short + "assistant: 42.\n"},
		"a summary of what comes behind it": {
			[]provider.Message{user("One"), says("1."), summary("They talked.", 0, 9), user("Two"), says("2.")},
			short + "user: Two\nassistant: 2.\n"},
		"a conversation that begins with a summary": {
			[]provider.Message{summary("They talked.", 0, 9), user("One"), says("1.")},
			short + "user: One\nassistant: 1.\n"},
		"a span that was turned around": {
			[]provider.Message{user("One"), says("1."), summary("They talked.", 2, -9)}, "user: One\nassistant: 1.\n"},
	} {
		model := script(replies{{{Text: "Hi"}}})
		askIn(t, chat(model, nil), provider.Conversation{}.With(test.conversation...), "And?")
		if got := written(provider.Conversation{}.With(model.Requests()[0].Messages[1:]...)); strings.TrimSuffix(got, "user: And?\n") != test.want && strings.TrimSpace(got) != test.want {
			t.Errorf("%s: the model gets\n%s\nnot\n%s", name, got, test.want)
		}
	}
}

// A reply without a word is kept, for people to see what was thought, and never sent.
func TestAnEmptyReplyIsNotSent(t *testing.T) {
	model := script(replies{{{Thinking: "Hm."}}, {{Thinking: "Hm."}}, {{Text: "Yes."}}})
	c := chat(model, nil)
	_, ended := ask(t, c, "One")
	askIn(t, c, ended.Conversation, "Two")
	same(t, "request", written(provider.Conversation{}.With(last2(model.Requests()).Messages[1:]...)), "user: One\n\nTwo")
}

// A server that refuses tools for a model, which it said can use them, is asked with tools once.
func TestARefusalOfToolsIsRemembered(t *testing.T) {
	refusal := &provider.Error{Kind: provider.KindNoTools, Text: "test:1b does not support tools"}
	model := script(replies{{{Err: refusal}}, {{Text: "One."}}, {{Text: "Two."}}})
	c := chat(model, toolbox{{"read_file", says("42")}})
	_, ended := ask(t, c, "One")
	story, _ := askIn(t, c, ended.Conversation, "Two")
	same(t, "story", story, `
		(Analyzing request…)
		(Formulating response…)
		text: Two.
		ended: done`)
	if n := len(model.Requests()[2].Tools); n != 0 {
		t.Errorf("the second turn offers %d tools", n)
	}
}

// The wire has no flag for a failure, so the text says it, in this turn and in all later ones, also after a restart.
func TestFailedCallsAreMarkedForTheModel(t *testing.T) {
	model := script(replies{{calls("do_it", "do_more", "read_file")}, {{Text: "It burns."}}, {{Text: "Still."}}})
	tools := toolbox{{"do_it", fails("database is on fire (42)")}, {"do_more", fails("[error] no disk")}, {"read_file", says("42")}}
	c := chat(model, tools)
	_, ended := ask(t, c, "Go")
	stored, err := json.Marshal(ended.Conversation.Messages())
	if err != nil {
		t.Fatal(err)
	}
	var resumed []provider.Message
	if err := json.Unmarshal(stored, &resumed); err != nil {
		t.Fatal(err)
	}
	askIn(t, c, provider.Conversation{}.With(resumed...), "Again")
	for _, req := range model.Requests()[1:] {
		got := written(provider.Conversation{}.With(req.Messages[3:6]...))
		same(t, "results that the model reads", got, `
			tool call_1 box__do_it failed: [error] database is on fire (42)
			tool call_2 box__do_more failed: [error] no disk
			tool call_3 box__read_file: 42`)
	}
	if call := ended.Result.ToolCalls[0]; call.Result != "database is on fire (42)" || call.Error != call.Result {
		t.Errorf("the mark is shown to people: %+v", call)
	}
}
