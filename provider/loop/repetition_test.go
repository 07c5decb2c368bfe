package loop_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// times returns a reply that begins with a text and then repeats another, one token at a time.
func times(n int, begin, text string) reply {
	r := reply{{Text: begin}}
	for range n {
		for _, token := range strings.SplitAfter(text, " ") {
			r = append(r, step{Text: token})
		}
	}
	return r
}

func TestAnswerThatRepeatsItself(t *testing.T) {
	said := times(5000, "Sure. ", "I am here to help. ")
	model := script(replies{append(said, step{Block: true})})
	story, ended := askFast(t, chat(model, nil), "Hi")
	const answer = "Sure. I am here to help. I am here to help. … 201 times"
	endsAs(t, ended, provider.Length, answer)
	if stop := ended.Result.Stop; stop.Detail != "the answer repeats itself" || stop.Limit != nil {
		t.Errorf("it ended as %+v", stop)
	}
	shown, _, _ := strings.Cut(story, "withdrawn")
	if n := strings.Count(shown, " "); n < 1000 || n > 1100 {
		t.Errorf("about %d tokens were shown", n)
	}
	hasAll(t, story, "(Formulating response · repeats itself)", "withdrawn\n", "(Stopped: the answer repeats itself)")
	same(t, "conversation", written(ended.Conversation), "user: Hi\nassistant partial: "+answer)
	if n := len(model.Requests()); n != 1 {
		t.Errorf("there were %d requests", n)
	}
}

// The words of the line return to normal once the answer goes on.
func TestAnswerThatStopsRepeatingItself(t *testing.T) {
	said := append(times(300, "Hello: ", "hello "), step{Text: "and "}, step{Text: "that was all."})
	story, ended := ask(t, chat(script(replies{said}), nil), "Write hello 300 times")
	endsAs(t, ended, provider.Done, "Hello: "+strings.Repeat("hello ", 300)+"and that was all.")
	_, after, found := strings.Cut(story, "(Formulating response · repeats itself)")
	if !found || !strings.Contains(after, "(Formulating response…)") || strings.Contains(story, "withdrawn") {
		t.Errorf("the story is\n%.2000s", story)
	}
}

func TestWantedRepetitionGoesOn(t *testing.T) {
	model := script(replies{times(2000, "", "hello "), {{Text: "hello, the last one"}}})
	_, ended := ask(t, chat(model, nil), "Write hello 2000 times")
	endsAs(t, ended, provider.Length, "hello hello hello … 1003 times")
	_, ended = tell(t, chat(model, nil).Resume(t.Context(), ended.Conversation), nil)
	endsAs(t, ended, provider.Done, "hello, the last one")
}

// Ollama ends a reply after 30 equal tokens, without an end mark.
func TestServerEndsReplyThatRepeatsItself(t *testing.T) {
	model := script(replies{append(times(31, "Once ", "upon "), step{Cut: true})})
	_, ended := ask(t, chat(model, nil), "Hi")
	endsAs(t, ended, provider.Length, "Once upon upon upon … 31 times")
	if n := len(model.Requests()); n != 1 {
		t.Errorf("there were %d requests", n)
	}
}

func TestThinkingThatRepeatsItself(t *testing.T) {
	var thinks reply
	for range 2000 {
		thinks = append(thinks, step{Thinking: "Wait, "}, step{Thinking: "no. "})
	}
	model := script(replies{thinks, {{Text: "Four."}}})
	story, ended := ask(t, chat(model, nil), "Two and two?")
	endsAs(t, ended, provider.Done, "Four.")
	hasAll(t, story, "(Thinking · repeats itself)",
		"notice: The model's thinking repeated itself, so it was asked to answer")
	hasAll(t, last(ended.Conversation.Messages()).Thinking, "Wait, no. Wait, no. … 50")
	hasAll(t, last(model.Requests()[1].Messages).Text, "Stop thinking")

	model.Replies = append(model.Replies, thinks, thinks, thinks, thinks)
	_, ended = ask(t, chat(model, nil), "Two and two?")
	endsAs(t, ended, provider.Length, "")
	if detail := ended.Result.Stop.Detail; detail != "the thinking repeats itself" {
		t.Errorf("the detail is %q", detail)
	}
}
