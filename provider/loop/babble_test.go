package loop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

const (
	printedRead = `{"name": "files__read_file", "arguments": {"path": "notes.txt"}}`
	taggedRead  = "<tool_call>\n" + printedRead + "\n</tool_call>\n"
)

// invented is some hundred tokens of text that a model makes up.
var invented = strings.Repeat("Monday was cold, and Tuesday is warm again. ", 20) +
	strings.Repeat("He said that the garden needs rain, and went on. ", 20)

// babbling returns a reply that begins with a text, repeats another, and never ends.
func babbling(begin string, times int, text string) reply {
	var r reply
	for word := range strings.SplitAfterSeq(begin+strings.Repeat(text, times), " ") {
		r = append(r, step{Text: word})
	}
	return append(r, step{Block: true})
}

func TestCallBeforeBabbleIsMade(t *testing.T) {
	for name, first := range map[string]reply{
		"a made-up result":      babbling(taggedRead+"<tool_response>\n", 3, invented),
		"an announcement":       babbling("I will read the file.\n"+taggedRead+"<tool_response>\n", 3, invented),
		"another message":       babbling(taggedRead+"<|im_start|>user\n", 3, invented),
		"a result without tags": babbling(printedRead+"\n<tool_response>\n", 3, invented),
		"more calls":            babbling(taggedRead+"It is cold.\n", 9, taggedRead+"Now it is warm.\n"+varied(400)),
		"the same call":         babbling("", 200, taggedRead),
		"the same JSON":         babbling("", 200, printedRead+"\n"),
		"one sentence":          babbling(taggedRead, 500, "The notes are here. "),
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			c := chat(script(replies{first, {{Text: "Done."}}}), nil)
			c.Tools = tools
			_, ended := askFast(t, c, "What do my notes say?")
			endsAs(t, ended, provider.Done, "Done.", provider.CallOK)
			if want := []string{`files__read_file {"path":"notes.txt"}`}; !slices.Equal(tools.made, want) {
				t.Errorf("the calls are %q", tools.made)
			}
			if text := written(ended.Conversation); strings.Contains(text, "cold") || strings.Contains(text, "warm") {
				t.Errorf("the conversation has the babble:\n%.1000s", text)
			}
		})
	}
}

func TestCallBeforeBabbleNeedsApproval(t *testing.T) {
	c := chat(script(replies{babbling(taggedRead+"<tool_response>\n", 3, invented), {{Text: "Done."}}}), nil)
	tools := &library{}
	c.Tools, c.Policy = tools, mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, nil)
	_, ended := askFast(t, c, "What do my notes say?", decide(provider.Decision{}))
	endsAs(t, ended, provider.Denied, "", provider.CallDenied)
	if len(tools.made) > 0 {
		t.Errorf("the calls are %q", tools.made)
	}
}

// A call that is only talked about is not made, however long the text after it is.
func TestCallBeforeLongTextIsNotMade(t *testing.T) {
	const question = "What do my notes say?"
	explained := "This call would read the file. " + varied(300) + ". You can send it yourself. " + invented
	half := `{"name": "files__read_file", "arguments": {"path": "` + strings.Repeat("notes ", 3000)
	for name, test := range map[string]struct{ question, answer string }{
		"an explanation":          {question, taggedRead + explained},
		"an explained call":       {question, printedRead + "\n" + explained},
		"a long text":             {question, taggedRead + invented},
		"an example":              {question, "For example:\n" + taggedRead + "<tool_response>\n" + invented},
		"a question for its text": {"Show me an example of a tool call.", taggedRead + "<tool_response>\n" + invented},
		"a ban":                   {"Read my notes, but do not run any tool.", taggedRead + "<tool_response>\n" + invented},
		"a quote":                 {"What does " + printedRead + " mean?", taggedRead + "<tool_response>\n" + invented},
		"half a call":             {question, half},
		"half a tagged call":      {question, "<tool_call>\n" + half},
		"calls that may follow":   {question, "Next:\n" + strings.Repeat(taggedRead, 200)},
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			c := chat(script(replies{{{Text: test.answer}}}), nil)
			c.Tools = tools
			_, ended := ask(t, c, test.question)
			if len(tools.made) > 0 || !strings.Contains(ended.Result.Answer, "notes") {
				t.Errorf("the calls are %q, and the answer is %.300q", tools.made, ended.Result.Answer)
			}
		})
	}
}
