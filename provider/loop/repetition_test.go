package loop_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
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

// tokens returns a reply with a text, one token at a time. Equal signs and blanks share tokens.
func tokens(text string) (r reply) {
	for _, token := range aToken.FindAllString(text, -1) {
		r = append(r, step{Text: token})
	}
	return r
}

var aToken = regexp.MustCompile(`\s?[A-Za-z]{1,6}|\s?[0-9]{1,3}|  +|[=_-]{2,8}|[^A-Za-z0-9]`)

func TestAnswerThatRepeatsItself(t *testing.T) {
	said := times(5000, "Sure. ", "I am here to help. ")
	model := script(replies{append(said, step{Block: true})})
	story, ended := askFast(t, chat(model, nil), "Hi")
	const answer = "Sure. I am here to help. I am here to help. … 201 times"
	endsAs(t, ended, event.Length, answer)
	if stop := ended.Result.Stop; stop.Detail != "the answer repeats itself" || stop.Limit != nil {
		t.Errorf("it ended as %+v", stop)
	}
	if u := ended.Result.Usage; u.AnswerTokens < 1000 || u.AnswerMark != event.About {
		t.Errorf("the model wrote %+v", u)
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
	endsAs(t, ended, event.Done, "Hello: "+strings.Repeat("hello ", 300)+"and that was all.")
	_, after, found := strings.Cut(story, "(Formulating response · repeats itself)")
	if !found || !strings.Contains(after, "(Formulating response…)") || strings.Contains(story, "withdrawn") {
		t.Errorf("the story is\n%.2000s", story)
	}
}

func TestWantedRepetitionGoesOn(t *testing.T) {
	model := script(replies{times(2000, "", "hello "), {{Text: "hello, the last one"}}})
	_, ended := ask(t, chat(model, nil), "Write hello 2000 times")
	endsAs(t, ended, event.Length, "hello hello hello … 1003 times")
	_, ended = tell(t, chat(model, nil).SendAll(t.Context(), ended.Conversation), nil)
	endsAs(t, ended, event.Done, "hello, the last one")
}

// A board or a matrix in a code block has many equal tokens.
func TestWantedCodeIsNotCutOff(t *testing.T) {
	row := "<tr>" + strings.Repeat("<td></td>", 15) + "</tr>\n"
	for name, text := range map[string]string{
		"a table":  "```html\n<table>\n" + strings.Repeat(row, 15) + "</table>\n```\n",
		"a board":  "```html\n" + strings.Repeat("  <div class=\"cell\"></div>\n", 225) + "```\nThat is the board.",
		"a matrix": "```python\nm = [\n" + strings.Repeat("  ["+strings.Repeat("0, ", 24)+"0],\n", 25) + "]\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			story, ended := ask(t, chat(script(replies{tokens(text)}), nil), "Give me "+name)
			endsAs(t, ended, event.Done, text)
			if strings.Contains(story, "withdrawn") {
				t.Error("the text was withdrawn")
			}
		})
	}
}

// Code that goes on and on ends too, but is not folded.
func TestCodeThatRepeatsItself(t *testing.T) {
	model := script(replies{append(times(3000, "```\n", "0, 0,\n"), step{Block: true})})
	story, ended := askFast(t, chat(model, nil), "Give me zeros")
	endsAs(t, ended, event.Length, ended.Result.Answer)
	if n := strings.Count(ended.Result.Answer, "0"); n < 4000 || n > 4100 || strings.Contains(story, "withdrawn") {
		t.Errorf("there are %d zeros", n)
	}
}

// Ollama ends a reply after 30 equal tokens, without an end mark.
func TestServerEndsReplyThatRepeatsItself(t *testing.T) {
	model := script(replies{append(times(31, "Once ", "upon "), step{Cut: true})})
	_, ended := ask(t, chat(model, nil), "Hi")
	endsAs(t, ended, event.Length, "Once upon upon upon … 31 times")
	if n := len(model.Requests()); n != 1 {
		t.Errorf("there were %d requests", n)
	}
}

// A rule, a table or indentation is no repetition: the connection was lost.
func TestConnectionLostAfterEqualBytes(t *testing.T) {
	for _, text := range []string{
		"Results:\n=========================", "| name | state |\n|" + strings.Repeat("-", 24),
		"def f():\n" + strings.Repeat(" ", 28), "Name: ____________________________",
	} {
		model := script(replies{append(tokens(text), step{Cut: true}), {{Text: "Done."}}})
		_, ended := ask(t, chat(model, nil), "Hi")
		endsAs(t, ended, event.Done, "Done.")
	}
}

func TestThinkingThatRepeatsItself(t *testing.T) {
	var thinks reply
	for range 2000 {
		thinks = append(thinks, step{Thinking: "Wait, "}, step{Thinking: "no. "})
	}
	model := script(replies{thinks, {{Text: "Four."}}})
	story, ended := ask(t, chat(model, nil), "Two and two?")
	endsAs(t, ended, event.Done, "Four.")
	hasAll(t, story, "(Thinking · repeats itself)",
		"notice: The model's thinking repeated itself, so it was asked to answer")
	hasAll(t, last(ended.Conversation.Messages()).Thinking, "Wait, no. Wait, no. … 50")
	hasAll(t, last(model.Requests()[1].Messages).Text, "Stop thinking")

	model.Replies = append(model.Replies, thinks, thinks, thinks, thinks)
	_, ended = ask(t, chat(model, nil), "Two and two?")
	endsAs(t, ended, event.Length, "")
	if detail := ended.Result.Stop.Detail; detail != "the thinking repeats itself" {
		t.Errorf("the detail is %q", detail)
	}
}

// Only the part that repeats itself is replaced.
func TestThinkingBeforeRepeatedAnswerIsKept(t *testing.T) {
	thinks := reply{}
	for range 2000 {
		thinks = append(thinks, step{Thinking: "Wait, "}, step{Thinking: "no. "})
	}
	answers := append(reply{{Thinking: "Let me see. "}, {Thinking: "ha ha ha ha ha "}},
		times(2000, "Sure. ", "I am here to help. ")...)
	_, ended := ask(t, chat(script(replies{thinks, answers}), nil), "Hi")
	endsAs(t, ended, event.Length, "Sure. I am here to help. I am here to help. … 201 times")
	thinking := last(ended.Conversation.Messages()).Thinking
	hasAll(t, thinking, "Wait, no. … 50", "Let me see. ha ha ha ha ha ")
}

func TestBlanksThatRepeatThemselves(t *testing.T) {
	blanks := times(2000, "", "\n")
	_, ended := ask(t, chat(script(replies{blanks, blanks, blanks}), nil), "Hi")
	endsAs(t, ended, event.Length, ended.Result.Answer)
	same(t, "detail", ended.Result.Stop.Detail, "the answer repeats itself")
}
