package loop_test

import (
	"encoding/json"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// A request never has anything that strict servers refuse, whatever the conversation has.
func TestRequestsAreValid(t *testing.T) {
	call := toolCall("1", "read_file", "{}")
	result := func(id, text string) provider.Message { return toolResult(id, "read_file", text) }
	thinks := provider.Message{Role: provider.RoleAssistant, Thinking: "Hm."}
	picture := provider.Message{Role: provider.RoleUser, Text: "Look", Images: [][]byte{{1}}}
	const short = "user: What we said before, in short:\nThey talked.\nassistant: I have that in mind.\n"
	for name, test := range map[string]struct {
		conversation []provider.Message
		want         string
	}{
		"an answer that never came": {
			[]provider.Message{user("One"), thinks, user("Two"), assistant(" \n"), user("Three")},
			"user: One\n\nTwo\n\nThree\n\nAnd?\n"},
		"stopped turns, one with a picture": {
			[]provider.Message{assistant("Welcome."), user("One"), picture, user("Two"), assistant("Yes.")},
			"assistant: Welcome.\nuser: One\n\nLook\n\nTwo\nassistant: Yes.\nuser: And?\n"},
		"results without a call": {
			[]provider.Message{result("x", "lost"), user("One"), call, result("1", "42"), result("1", "43"), result("2", "44")},
			"user: One\nassistant: [1 box__read_file {}]\ntool 1 box__read_file: 42\nuser: And?\n"},
		"a crash during a call": {
			[]provider.Message{user("One"), call},
			"user: One\nassistant: [1 box__read_file {}]\n" +
				"tool 1 box__read_file failed: [error] This call was interrupted; there is no result.\nuser: And?\n"},
		"a summary that ends between a call and its result": {
			[]provider.Message{user("One"), call, result("1", "42"), assistant("42."), summary("They talked.", 0, 2)},
			short + "assistant: 42.\nuser: And?\n"},
		"a summary of later messages": {
			[]provider.Message{user("One"), assistant("1."), summary("They talked.", 0, 9), user("Two"), assistant("2.")},
			short + "user: Two\nassistant: 2.\nuser: And?\n"},
		"a conversation that begins with a summary": {
			[]provider.Message{summary("They talked.", 0, 9), user("One"), assistant("1.")},
			short + "user: One\nassistant: 1.\nuser: And?\n"},
		"a reversed span": {
			[]provider.Message{user("One"), assistant("1."), summary("They talked.", 2, -9)},
			"user: One\nassistant: 1.\nuser: And?\n"},
	} {
		model := script(replies{{{Text: "Hi"}}})
		askIn(t, chat(model, nil), provider.Conversation{}.With(test.conversation...), "And?")
		if got := sent(model.Requests()[0]); got != test.want {
			t.Errorf("%s: the model gets\n%s\nnot\n%s", name, got, test.want)
		}
	}
}

// An empty reply is kept, so that you can see its thinking, but never sent.
func TestEmptyReplyIsNotSent(t *testing.T) {
	model := script(replies{{{Thinking: "Hm."}}, {{Thinking: "Hm."}}, {{Text: "Yes."}}})
	c := chat(model, nil)
	_, ended := ask(t, c, "One")
	askIn(t, c, ended.Conversation, "Two")
	same(t, "request", sent(last2(model.Requests())), "user: One\n\nTwo")
}

func TestRefusalOfToolsIsRemembered(t *testing.T) {
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

// Requests have no field for failures, so the text reports them, even after a restart.
func TestFailedCallsAreMarked(t *testing.T) {
	model := script(replies{{calls("do_it", "do_more", "read_file")}, {{Text: "It burns."}}, {{Text: "Still."}}})
	tools := toolbox{
		{"do_it", fails("database is on fire (42)")}, {"do_more", fails("[error] no disk")}, {"read_file", says("42")},
	}
	c := chat(model, tools)
	_, ended := ask(t, c, "Go")
	stored, err := json.Marshal(ended.Conversation.Messages())
	must(t, err)
	var resumed []provider.Message
	must(t, json.Unmarshal(stored, &resumed))
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
