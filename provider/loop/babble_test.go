package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

const (
	printedRead = `{"name": "files__read_file", "arguments": {"path": "notes.txt"}}`
	taggedRead  = "<tool_call>\n" + printedRead + "\n</tool_call>\n"
	taggedEmpty = "<tool_call>\n" + `{"name": "files__write_file", "arguments": {"path": "notes.txt", "content": ""}}` +
		"\n</tool_call>\n"
)

// The calls as the library records them.
const (
	madeRead  = `files__read_file {"path":"notes.txt"}`
	madeEmpty = `files__write_file {"content":"","path":"notes.txt"}`
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
		"a made-up result":         babbling(taggedRead+"<tool_response>\n", 3, invented),
		"an announcement":          babbling("I will read the file.\n"+taggedRead+"<tool_response>\n", 3, invented),
		"a closed result":          babbling(taggedRead, 3, "<tool_response>\n"+invented+"</tool_response>\n"),
		"a result without its tag": babbling(taggedRead, 3, "<tool_response>\n"+invented+"<|im_end|>\n"),
		"another message":          babbling(taggedRead+"<|im_start|>user\n", 3, varied(900)+". "),
		"a result without tags":    babbling(printedRead+"\n<tool_response>\n", 3, invented),
		"more calls":               babbling(taggedRead, 40, "<tool_response>\nok\n</tool_response>\n"+taggedRead),
		"the same call":            babbling("", 200, taggedRead),
		"the same JSON":            babbling("", 200, printedRead+"\n"),
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			c := chat(script(replies{first, {{Text: "Done."}}}), nil)
			c.Tools = tools
			_, ended := askFast(t, c, "What do my notes say?")
			endsAs(t, ended, event.Done, "Done.", event.CallOK)
			if want := []string{madeRead}; !slices.Equal(tools.made, want) {
				t.Errorf("the calls are %q", tools.made)
			}
			if u := ended.Result.Usage; u.AnswerTokens <= 10 || u.AnswerMark != event.About {
				t.Errorf("the model wrote %+v", u)
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
	_, ended := askFast(t, c, "What do my notes say?", decide(event.Decision{}))
	endsAs(t, ended, event.Denied, "", event.CallDenied)
	if len(tools.made) > 0 {
		t.Errorf("the calls are %q", tools.made)
	}
}

// A long list of different calls is no babble, and of a list that repeats itself each call is made once.
func TestEachPrintedCallIsMadeOnce(t *testing.T) {
	var want []string
	var list, tagged strings.Builder
	for i := range 40 {
		path := fmt.Sprintf("docs/chapters/page%d.txt", i+1)
		want = append(want, `files__read_file {"path":"`+path+`"}`)
		call := fmt.Sprintf(`{"name": "files__read_file", "arguments": {"path": %q}}`, path)
		list.WriteString(call + "\n")
		tagged.WriteString("<tool_call>\n" + call + "\n</tool_call>\n")
	}
	cut := append(times(300, "", taggedRead), step{Text: "<tool_call>\n" + printedRead[:60]})
	for name, test := range map[string]struct {
		first reply
		want  []string
	}{
		"a list":               {tokens(list.String()), want},
		"a list in tags":       {tokens(tagged.String()), want},
		"a list in cycles":     {babbling("", 100, strings.Join(strings.SplitAfter(list.String(), "\n")[:7], "")), want[:7]},
		"two in cycles":        {babbling("", 200, taggedRead+taggedEmpty), []string{madeRead, madeEmpty}},
		"one, the last is cut": {cut, []string{madeRead}},
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			c := chat(script(replies{test.first, {{Text: "Done."}}}), nil)
			c.Tools = tools
			_, ended := askFast(t, c, "Sum up my notes.")
			endsAs(t, ended, event.Done, "Done.", slices.Repeat([]event.CallStatus{event.CallOK}, len(test.want))...)
			if slices.Sort(tools.made); !slices.Equal(tools.made, slices.Sorted(slices.Values(test.want))) {
				t.Errorf("the calls are %q", tools.made)
			}
		})
	}
}

// A call that is only talked about is not made, however long the text after it is.
func TestCallBeforeLongTextIsNotMade(t *testing.T) {
	const question = "What do my notes say?"
	explained := "This call would read the file. " + varied(300) + ". You can send it yourself. " + invented
	filler := strings.Repeat("Those lines are only there to compare them, and your notes stay as they are. ", 20)
	lateDoubt := taggedEmpty + "This call has two arguments, the path and the content. The path is the name of the file " +
		"in the folder of notes. The content is the new text of the file, in this case no text at all, so the whole file " +
		"ends up empty and all of its lines are lost. I do not want to run it, since that deletes your notes. Compare it " +
		"with this one:\n" + taggedRead + "And with this one:\n" + taggedRead + filler
	const refusal = "Dieser Aufruf leert die notes.txt. Ich führe ihn nicht aus. "
	german := taggedEmpty + refusal + "Zum Vergleich:\n" + taggedRead + "Und noch einer:\n" + taggedRead +
		strings.Repeat("Alles bleibt, wie es ist, bis du es sagst und wählst. ", 30)
	calls := taggedEmpty + strings.Repeat(taggedRead, 20)
	half := `{"name": "files__read_file", "arguments": {"path": "` + strings.Repeat("notes ", 3000)
	for name, test := range map[string]struct{ question, answer string }{
		"an explanation":    {question, taggedRead + explained},
		"an explained call": {question, printedRead + "\n" + explained},
		"a late doubt":      {question, lateDoubt},
		"a doubt after a result": {question, taggedEmpty + "<tool_response>\nok\n</tool_response>\nThe lines above are " +
			"only an example of a transcript. I have not run anything, since it deletes your notes. " + filler},
		"another language": {question, german},
		"another language after a result": {question, taggedEmpty + "<tool_response>\nok\n</tool_response>\n" + refusal +
			strings.Repeat("Alles bleibt, wie es ist. ", 60)},
		"a reply of its own": {question, taggedEmpty + "<|im_start|>user\nUnd?<|im_end|>\n<|im_start|>assistant\n" + refusal +
			strings.Repeat("Alles bleibt, wie es ist. ", 60)},
		"words after a result": {question, taggedRead + "<tool_response>\n" + invented + "</tool_response>\nPlease wait."},
		"a next turn after a result": {question, taggedEmpty + "<tool_response>\nok<|im_end|>\n<|im_start|>assistant\n" +
			strings.Repeat(refusal, 30)},
		"a result that ends as a call": {question, taggedEmpty + "<tool_response>\nok\n</tool_call>\n" +
			strings.Repeat("I run nothing. ", 100)},
		"words between calls": {question, taggedRead + strings.Repeat("Let me check again.\n"+taggedRead, 14)},
		"a word like a tag":   {question, calls + "<3 " + refusal},
		"a call that is cut off": {question, calls + "<tool_response>\nok\n</tool_response>\n<function=files__read_file>\n" +
			"<parameter=path>\nnotes.txt\n</parameter>\n" + strings.Repeat(refusal, 9)},
		"a message in JSON":       {question, calls + `{"role": "assistant", "content": "` + refusal + `"}`},
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

// A call before words that repeat themselves is not made either. What was asked for is kept.
func TestCallBeforeRepeatedWordsIsNotMade(t *testing.T) {
	const refusal = "Ich führe ihn nicht aus. "
	const show = "Show me an example of a tool call."
	const example, asked = "it may be an example", "your message may ask for its text"
	const text = "Dieser Aufruf leert die notes.txt. "
	for name, test := range map[string]struct{ question, begin, again, notice string }{
		"one sentence":    {"What do my notes say?", taggedRead, "The notes are here. ", example},
		"patience":        {"What do my notes say?", taggedRead, "Please wait. ", example},
		"a refusal":       {"Tidy my notes.", taggedEmpty + text, refusal, example},
		"English":         {"Tidy my notes.", taggedEmpty, "I must decline this, to keep the notes. ", example},
		"asked for":       {show, "", taggedRead, asked},
		"asked for, JSON": {show, "", printedRead + "\n", asked},
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			model := script(replies{babbling(test.begin, 2000, test.again)})
			c := chat(model, nil)
			c.Tools = tools
			story, ended := askFast(t, c, test.question)
			endsAs(t, ended, event.Length, ended.Result.Answer)
			hasAll(t, ended.Result.Answer, "notes", "… ", " times")
			hasAll(t, story, "was not run: "+test.notice)
			if len(tools.made) > 0 || strings.Contains(story, "thinking") || len(model.Requests()) != 1 {
				t.Errorf("the calls are %q, and the story is\n%.2000s", tools.made, story)
			}
		})
	}
}

// A call is made as a whole or not at all when aloud ends a reply that repeats itself, and its arguments may do so.
func TestRepetitionInCall(t *testing.T) {
	write := func(content string) string {
		return `{"name": "files__write_file", "arguments": {"path": "board.txt", "content": ` + content + `}}`
	}
	text := func(rows int) string { return strings.Repeat(`0 0 0 0\n`, rows) }
	function := "<function=files__write_file>\n<parameter=path>\nb\n</parameter>\n<parameter=content>\n"
	for name, test := range map[string]struct {
		text   string
		calls  int
		reason event.Reason
	}{
		"whole":            {write(`"` + text(300) + `"`), 1, event.Done},
		"whole, in tags":   {function + strings.Repeat("0 0 0 0\n", 300) + "</parameter>\n</function>", 1, event.Done},
		"cut":              {write("[" + strings.Repeat("true, ", 5000) + "true]"), 0, event.Length},
		"cut, in tags":     {function + strings.Repeat("0 0 0 0\n", 3000) + "</parameter>\n</function>", 0, event.Length},
		"cut after a call": {printedRead + "\n" + write("["+strings.Repeat("true, ", 3000)+"true]"), 0, event.Length},
	} {
		t.Run(name, func(t *testing.T) {
			tools := &library{}
			model := script(replies{tokens(test.text), {{Text: "Done."}}})
			c := chat(model, nil)
			c.Tools = tools
			story, ended := askFast(t, c, "Tidy my notes.")
			isCut := strings.Contains(strings.Join(tools.made, ""), "true")
			if got := ended.Result.Stop.Reason; len(tools.made) != test.calls || isCut || got != test.reason {
				t.Errorf("it ended as %s with %d calls:\n%.300q", got, len(tools.made), tools.made)
			}
			if test.calls == 0 && len(model.Requests()) != 1 || strings.Contains(story, "could not be read") {
				t.Errorf("the model was asked %d times, and the story is\n%.2000s", len(model.Requests()), story)
			}
		})
	}
}
