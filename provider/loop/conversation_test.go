package loop_test

import (
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

func user(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Text: text}
}

func TestBranchesDoNotShare(t *testing.T) {
	var trunk provider.Conversation
	for range 3 {
		trunk = trunk.With(user("trunk")) // one by one, so that an append would leave room behind it
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

func TestTheLastQuestionIsWhatAPersonAsked(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "Some"}, {Err: &provider.Error{Kind: provider.KindFailed, Text: "gone"}}}, {{Text: "The rest."}}}, Forever: true}
	chat := &loop.Chat{Model: model, Name: "m"}
	said := []provider.Message{{Role: provider.RoleUser, Text: "Hello", From: "/all:greet"}, {Role: provider.RoleAssistant, Text: "Hi", From: "/all:greet"}}
	var conv provider.Conversation
	follow := func(events iter.Seq2[provider.Event, error]) {
		for ev, err := range events {
			if e, ok := ev.(provider.Ended); ok {
				conv = e.Conversation // also of a turn that went wrong
			} else if err != nil {
				t.Error(err)
			}
		}
	}
	follow(chat.SendAll(t.Context(), conv, said...))
	follow(chat.Resume(t.Context(), conv))
	goesOn := 0
	for _, m := range conv.Messages() {
		if m.GoesOn() {
			goesOn++
		}
	}
	before, question := conv.LastQuestion()
	if before != 0 || !reflect.DeepEqual(question, said) || goesOn != 2 {
		t.Errorf("before %d: %+v, %d go on", before, question, goesOn)
	}
	follow(chat.Send(t.Context(), conv, "And now?"))
	if before, question := conv.LastQuestion(); before != conv.Len()-2 || len(question) != 1 || question[0].Text != "And now?" {
		t.Errorf("before %d: %+v", before, question)
	}
	if _, question := (provider.Conversation{}).LastQuestion(); question != nil {
		t.Errorf("%+v", question)
	}
}

// A model that called a tool finds its train of thought again in the same turn. That of earlier turns would only fill the context.
func TestThoughtsGoBackWithinTheTurn(t *testing.T) {
	long := strings.Repeat("Hm. ", 10_000)
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
	synctest.Test(t, func(t *testing.T) {
		var conv provider.Conversation
		for range 500 {
			conv = conv.With(user("A question."), provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("An answer. ", 20)})
		}
		model := &providertest.Script{
			Replies: replies{{calls("read_file")}, {{Text: "Done."}}, {{Text: "Again."}}},
			Models:  []provider.Info{{Name: "test:1b", Tools: true, Context: 131072}},
		}
		c := chat(model, toolbox{{"read_file", says("42")}})
		_, ended := askIn(t, c, conv, "And now?")
		if ended.Conversation.Len() != 1004 || conv.Len() != 1000 {
			t.Errorf("the conversations have %d and %d messages", ended.Conversation.Len(), conv.Len())
		}
		if size := model.Requests()[0].Context; size != 65536 {
			t.Errorf("the context for some 34,000 tokens is %d", size)
		}
		ask(t, c, "Short")
		if size := model.Requests()[2].Context; size != 65536 {
			t.Errorf("the context has shrunk to %d", size)
		}
	})
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
		{"longer than the model's", 350_000, 0, 40960, 40960, true},
		{"small model", 10, 0, 2048, 2048, false},
		{"fixed", 10, 4096, 131072, 4096, false},
		{"fixed to more than the model's", 10, 131072, 8192, 8192, false},
		{"fixed, unknown model", 10, 131072, 0, 131072, false},
		{"unknown model", 1_000_000, 0, 0, 32768, true},
	} {
		model := &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Models: []provider.Info{{Name: "test:1b", Tools: true, Context: test.most}}}
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

// What a template says of its own comes once in a request. A short one is no measure for a long one.
func TestTheWordsOfATemplateAreNoMeasure(t *testing.T) {
	short := reply{{Text: "Hi", Usage: provider.Usage{PromptTokens: 300}}}
	model := &providertest.Script{Replies: replies{short, {{Text: "Ok."}}}, Models: []provider.Info{{Name: "test:1b", Tools: true, Context: 131072}}}
	c := chat(model, nil)
	ask(t, c, "Hi")
	ask(t, c, strings.Repeat("x", 35_000))
	if size := model.Requests()[1].Context; size != 16384 {
		t.Errorf("the context for some 10,000 tokens is %d", size)
	}
}

// A turn that goes on is about the question with which it began: a call that was asked for as text is not made then either.
func TestTheQuestionCountsWhenATurnGoesOn(t *testing.T) {
	made := 0
	model := script(replies{
		{{Text: "In JSON, with a name and"}, {Err: &provider.Error{Text: "the power failed"}}},
		{{Text: "Sure!\n" + `{"name":"read_page","arguments":{"n":1}}`}},
	})
	c := chat(model, toolbox{{"read_page", gives(&made, texts("page")...)}})
	_, ended := ask(t, c, "How would I call the read_page tool?")
	_, ended = tell(t, c.Resume(t.Context(), ended.Conversation), nil)
	if made != 0 || len(ended.Result.ToolCalls) != 0 {
		t.Errorf("the call was made: %+v", ended.Result)
	}
}
