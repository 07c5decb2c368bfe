package loop_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func user(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Text: text}
}

func assistant(text string) provider.Message {
	return provider.Message{Role: provider.RoleAssistant, Text: text}
}

// toolCall is a message of a model that calls a tool.
func toolCall(id, name, arguments string) provider.Message {
	call := provider.Call{ID: id, Name: "box__" + name, Arguments: json.RawMessage(arguments)}
	return provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{call}}
}

func toolResult(id, name, text string) provider.Message {
	return provider.Message{Role: provider.RoleTool, CallID: id, Tool: "box__" + name, Text: text}
}

func summary(text string, from, until int) provider.Message {
	return provider.Message{Role: provider.RoleSummary, Text: text, Covers: &provider.Span{From: from, Until: until}}
}

// trained is a script for a model with tools that was trained for a context.
func trained(context int, r replies) *providertest.Script {
	return &providertest.Script{Replies: r, Models: []provider.Info{{Name: "test:1b", Tools: true, Context: context}}}
}

// sent returns a request as text, without its system prompt.
func sent(r provider.Request) string { return written(provider.Conversation{}.With(r.Messages[1:]...)) }

func TestBranchesDoNotShare(t *testing.T) {
	var trunk provider.Conversation
	for range 3 {
		trunk = trunk.With(user("trunk")) // one by one, so that the slice has spare capacity
	}
	left, right := trunk.With(user("left")), trunk.With(user("right"))
	back := left.Until(3).With(user("back"))
	appended := append(trunk.Messages(), user("appended"))
	same(t, "left branch", written(left), "user: trunk\nuser: trunk\nuser: trunk\nuser: left")
	same(t, "right branch", written(right), "user: trunk\nuser: trunk\nuser: trunk\nuser: right")
	same(t, "branch from the left", written(back), "user: trunk\nuser: trunk\nuser: trunk\nuser: back")
	if trunk.Len() != 3 || len(appended) != 4 || left.Messages()[3].Text != "left" {
		t.Errorf("the trunk has %d messages, the left branch ends with %q", trunk.Len(), left.Messages()[3].Text)
	}
}

func TestLastQuestion(t *testing.T) {
	gone := &provider.Error{Text: "gone"}
	model := script(replies{{{Text: "Some"}, {Err: gone}}, {{Text: "The rest."}}, {{Text: "No."}}})
	c := chat(model, nil)
	prompt := []provider.Message{user("Hello"), assistant("Hi")}
	prompt[0].From, prompt[1].From = "/all:greet", "/all:greet"
	_, ended := tell(t, c.SendAll(t.Context(), provider.Conversation{}, prompt...), nil)
	_, ended = tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
	goesOn := 0
	for _, m := range ended.Conversation.Messages() {
		if m.IsContinue() {
			goesOn++
		}
	}
	before, question := ended.Conversation.LastQuestion()
	if before != 0 || !reflect.DeepEqual(question, prompt) || goesOn != 2 {
		t.Errorf("before %d: %+v, %d continue", before, question, goesOn)
	}
	_, ended = askIn(t, c, ended.Conversation, "And now?")
	before, question = ended.Conversation.LastQuestion()
	if before != ended.Conversation.Len()-2 || len(question) != 1 || question[0].Text != "And now?" {
		t.Errorf("before %d: %+v", before, question)
	}
	if _, question := (provider.Conversation{}).LastQuestion(); question != nil {
		t.Errorf("%+v", question)
	}
}

// The thinking of earlier turns would only fill the context.
func TestThinkingIsSentWithinItsTurn(t *testing.T) {
	long := varied(40_000)
	model := script(replies{
		{{Thinking: long}, calls("read_file")}, {{Thinking: long}, {Text: "One."}},
		{{Thinking: "Now."}, calls("read_file")}, {{Text: "Two."}},
	})
	c := chat(model, toolbox{{"read_file", says("42")}})
	_, ended := ask(t, c, "First")
	first := model.Requests()[1]
	if got := first.Messages[2].Thinking; got != long || first.Context != 16384 {
		t.Errorf("in the turn %d bytes of thoughts went back, in a context of %d", len(got), first.Context)
	}
	c = chat(model, toolbox{{"read_file", says("42")}})
	_, ended = askIn(t, c, ended.Conversation, "Second")
	last := model.Requests()[3]
	var thoughts string
	for _, m := range last.Messages {
		thoughts += m.Thinking
	}
	if thoughts != "Now." || last.Context != 8192 || ended.Conversation.Messages()[1].Thinking != long {
		t.Errorf("%d bytes of thoughts went back, in a context of %d", len(thoughts), last.Context)
	}
}

func TestLongConversation(t *testing.T) {
	var conv provider.Conversation
	for range 500 {
		conv = conv.With(user("A question."), assistant(strings.Repeat("An answer. ", 20)))
	}
	model := trained(131072, replies{{calls("read_file")}, {{Text: "Done."}}, {{Text: "Again."}}})
	c := chat(model, toolbox{{"read_file", says("42")}})
	_, ended := askIn(t, c, conv, "And now?")
	if ended.Conversation.Len() != 1004 || conv.Len() != 1000 {
		t.Errorf("the conversations have %d and %d messages", ended.Conversation.Len(), conv.Len())
	}
	ask(t, c, "Short") // does not shrink the context
	for _, i := range []int{0, 2} {
		if size := model.Requests()[i].Context; size != 65536 {
			t.Errorf("the context of request %d is %d", i, size)
		}
	}
}

func TestContext(t *testing.T) {
	for _, test := range []struct {
		name        string
		bytes       int // of the question
		fixed, most int
		want        int
		notice      bool
	}{
		{"short", 10, 0, 131072, 8192, false},
		{"longer", 35_000, 0, 131072, 16384, false},
		{"long", 350_000, 0, 131072, 131072, false},
		{"longer than the model's", 150_000, 0, 40960, 40960, true},
		{"small model", 10, 0, 2048, 2048, false},
		{"fixed", 10, 4096, 131072, 4096, false},
		{"fixed to more than the model's", 10, 131072, 8192, 8192, false},
		{"fixed, unknown model", 10, 131072, 0, 131072, false},
		{"unknown model", 1_000_000, 0, 0, 32768, true},
	} {
		model := trained(test.most, replies{{{Text: "Hi"}}})
		c := chat(model, nil)
		c.Context = test.fixed
		story, _ := ask(t, c, strings.Repeat("x", test.bytes))
		if got := model.Requests()[0].Context; got != test.want {
			t.Errorf("%s: the context is %d, not %d", test.name, got, test.want)
		}
		if strings.Contains(story, "may not fit") != test.notice {
			t.Errorf("%s: the story is\n%s", test.name, story)
		}
	}
}

// A template adds its text once to each request, so a short request does not predict a long one.
func TestTemplateTextDoesNotChangeTheScale(t *testing.T) {
	short := reply{{Text: "Hi", Usage: provider.Usage{PromptTokens: 300}}}
	model := trained(131072, replies{short, {{Text: "Ok."}}})
	c := chat(model, nil)
	ask(t, c, "Hi")
	ask(t, c, strings.Repeat("x", 35_000))
	if size := model.Requests()[1].Context; size != 16384 {
		t.Errorf("the context for some 10,000 tokens is %d", size)
	}
}

// The question of a resumed turn still decides whether a call written as text is made.
func TestResumedTurnKeepsItsQuestion(t *testing.T) {
	made := 0
	model := script(replies{
		{{Text: "In JSON, with a name and"}, {Err: &provider.Error{Text: "the power failed"}}},
		{{Text: "Sure!\n" + `{"name":"read_page","arguments":{"n":1}}`}},
	})
	c := chat(model, toolbox{{"read_page", gives(&made, texts("page")...)}})
	_, ended := ask(t, c, "How would I call the read_page tool?")
	_, ended = tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
	if made != 0 || len(ended.Result.ToolCalls) != 0 {
		t.Errorf("the call was made: %+v", ended.Result)
	}
}
