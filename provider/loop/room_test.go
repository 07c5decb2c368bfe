package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// lines is a text of n lines that say which they are.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestACutResultCanBeReadOn(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{
		{calls("read_file")},
		{{Calls: []provider.Call{{Name: "read_more", Arguments: []byte(`{"id":"call_1","from":"500000"}`)}}}},
		{{Calls: []provider.Call{{Name: "read_more", Arguments: []byte(`{"id":"call_1","from":99999999}`)}}}},
		{{Calls: []provider.Call{{Name: "read_more", Arguments: []byte(`{"id":"call_9"}`)}}}},
		{{Text: "Read."}}, {{Text: "Again."}},
	}}
	c := chat(model, toolbox{{"read_file", says(lines(100_000))}})
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAsk, []string{"box.*"}, []string{"*.read_more"}, nil) // it reads what was read already
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	requests, made := model.Requests(), ended.Result.ToolCalls
	if len(requests[0].Tools) != 1 || len(requests[1].Tools) != 2 || requests[1].Tools[1].Name != "read_more" {
		t.Errorf("the tools are %v, then %v", requests[0].Tools, requests[1].Tools)
	}
	if result := last(requests[1].Messages).Text; !strings.Contains(result, `call read_more with {"id": "call_1", "from": `) || strings.Contains(made[0].Result, "read_more") {
		t.Errorf("the model reads …%s", result[len(result)-200:])
	}
	if made[1].Status != provider.CallOK || !strings.Contains(made[1].Result, "[bytes 500000 to ") || !strings.Contains(made[1].Result, "\nline ") || len(made[1].Repairs) != 1 {
		t.Errorf("the first piece is %.300q, %v", made[1].Result, made[1].Repairs)
	}
	if !strings.HasPrefix(made[2].Result, "(nothing behind byte 99999999") || made[3].Status != provider.CallError || !strings.Contains(made[3].Error, `"call_9" is not kept any more`) {
		t.Errorf("the others are %+v and %+v", made[2], made[3])
	}
	tell(t, c.Send(t.Context(), ended.Conversation, "And?"), nil)
	if tools := last2(model.Requests()).Tools; len(tools) != 2 {
		t.Errorf("in the next turn the tools are %v", tools)
	}
}

func last2(requests []provider.Request) provider.Request { return requests[len(requests)-1] }

// many is a toolbox of n tools with long schemas.
type many int

func (n many) Tools() []mcpclient.Tool {
	tools := make([]mcpclient.Tool, n)
	for i := range tools {
		schema := fmt.Sprintf(`{"type":"object","properties":{"wanted":{"type":"string"},"other":{"type":"string","title":"Other","examples":["x"],"description":%q}},"required":["wanted"]}`,
			strings.Repeat("words ", 100))
		tools[i] = mcpclient.Tool{Name: fmt.Sprintf("box__tool_%d", i), Server: "box", ServerTool: fmt.Sprintf("tool_%d", i), Schema: json.RawMessage(schema)}
	}
	return tools
}

func (many) Call(_ context.Context, _ string, _ json.RawMessage, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
	return mcpclient.Result{Text: "ok"}, nil
}

func TestToolsThatTakeTooMuchAreSlimmed(t *testing.T) {
	for _, test := range []struct {
		tools, offered int
		slim           bool
		notice         string
	}{
		{3, 3, false, ""},
		{14, 14, false, "The tools take about 3.2k tokens, 39% of the context"},
		{40, 40, true, "The descriptions of the tools were shortened to fit the context of 8.2k tokens."},
		{2000, 0, true, "of 2000 tools fit the context of 8.2k tokens"},
	} {
		model := small(providertest.Reply{{Text: "Hi"}})
		c := chat(model, nil)
		c.Tools = many(test.tools)
		story, _ := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
		offered := model.Requests()[0].Tools
		if test.offered > 0 && len(offered) != test.offered || len(offered) == 0 {
			t.Errorf("%d of %d tools were offered", len(offered), test.tools)
		}
		if slim := !strings.Contains(string(offered[0].Schema), "words"); slim != test.slim {
			t.Errorf("%d tools are slim: %v", test.tools, slim)
		}
		if !strings.Contains(story, test.notice) || test.notice == "" && strings.Contains(story, "notice") {
			t.Errorf("%d tools gave the story\n%s", test.tools, story)
		}
	}
}

func TestSourcesAreWhatWasRead(t *testing.T) {
	links := func(_ context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: "see", Sources: []string{"docs://a", "https://example.org/b", "docs://a", " "}}, nil
	}
	model := &providertest.Script{Replies: []providertest.Reply{
		{calls(`read_page {"url":"https://example.org/b"}`, `read_page {"url":"https://example.org/c","note":"not a URL"}`, `do_links {"url":"https://example.org/written"}`)},
		{{Text: "Done."}},
	}}
	_, ended := tell(t, chat(model, toolbox{{"read_page", says("page")}, {"do_links", links}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if got := strings.Join(ended.Result.Sources, " "); got != "https://example.org/b https://example.org/c docs://a" {
		t.Errorf("the sources are %s", got)
	}
}

// The links of a search are where its answer comes from. Those of a page that was read, and addresses in a text, are not.
func TestLinksInAResultAreSources(t *testing.T) {
	const hits = "1. [Go (language)](https://go.dev/doc_(1)) ![logo](https://go.dev/logo.png) [a](<https://b.example>)\nhttps://no.example [x](file:///etc) " +
		"[b](javascript:x) [](https://empty.example)"
	model := &providertest.Script{Replies: []providertest.Reply{
		{calls(`do_search {"q":"go"}`, `read_page {"url":"https://page.example/"}`)}, {{Text: "Done."}},
	}}
	_, ended := tell(t, chat(model, toolbox{{"do_search", says(hits)}, {"read_page", says("[next](https://next.example)")}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if got := strings.Join(ended.Result.Sources, " "); got != "https://go.dev/doc_(1) https://b.example https://page.example/" {
		t.Errorf("the sources are %s", got)
	}
}

func TestTheModelKnowsWhenFewRoundsAreLeft(t *testing.T) {
	model := &providertest.Script{Replies: append(reads(4), providertest.Reply{{Text: "Enough."}}, providertest.Reply{{Text: "And more."}})}
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 4
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	var told []string
	for i, r := range model.Requests()[1:] {
		text := r.Messages[2*i+3].Text
		told = append(told, strings.TrimPrefix(text, "page"))
	}
	want := []string{"", "\n\n(2 rounds of tool calls left, then you must answer)", "\n\n(1 round of tool calls left, then you must answer)", ""}
	if fmt.Sprintf("%q", told) != fmt.Sprintf("%q", want) {
		t.Errorf("the model was told %q, want %q", told, want)
	}
	if got := ended.Result.ToolCalls[2].Result; got != "page" {
		t.Errorf("the result is shown as %q", got)
	}
	last := model.Requests()[4]
	if got := written(provider.Conversation{}.With(last.Messages...)); strings.Count(got, "of tool calls left") != 2 {
		t.Errorf("what was said before is taken back within the turn:\n%s", got)
	}
	tell(t, c.Send(t.Context(), ended.Conversation, "And?"), nil)
	stored, later := written(ended.Conversation), written(provider.Conversation{}.With(model.Requests()[5].Messages...))
	if strings.Contains(stored+later, "of tool calls left") {
		t.Errorf("what only held then is kept:\n%s\nand told in the next turn:\n%s", stored, later)
	}
}

func TestLearnedRounds(t *testing.T) {
	model := &providertest.Script{Replies: reads(30)}
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = -1
	c.Rounds = func(model string) int { return map[string]int{"test:1b": 6}[model] }
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if stop := ended.Result.Stop; stop.Reason != provider.Iterations || stop.Limit != 6 {
		t.Errorf("the turn ended as %+v", stop)
	}
	c.Rounds, c.Model = nil, &providertest.Script{Replies: reads(30)}
	if _, ended = tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil); ended.Result.Stop.Limit != 10 {
		t.Errorf("without anything learned the turn ended as %+v", ended.Result.Stop)
	}
}

func TestTheSystemPromptCanBeLeftOut(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Hi"}}}, Forever: true}
	c := chat(model, nil)
	if n := c.PromptTokens(); n < 20 || n > 250 {
		t.Errorf("the system prompt takes %d tokens", n)
	}
	c.NoPrompt = true
	tell(t, c.Send(t.Context(), provider.Conversation{}, "Hi"), nil)
	c.System = "Speak like a pirate."
	tell(t, c.Send(t.Context(), provider.Conversation{}, "Hi"), nil)
	if m := model.Requests()[0].Messages; len(m) != 1 || m[0].Role != provider.RoleUser {
		t.Errorf("without a system prompt the messages are %+v", m)
	}
	if m := model.Requests()[1].Messages; len(m) != 2 || m[0].Text != "Speak like a pirate." {
		t.Errorf("with one's own the messages are %+v", m)
	}
}

func TestServersThatCutSilentlyAreNoticed(t *testing.T) {
	model := &providertest.Script{
		Replies: []providertest.Reply{{{Text: "Hm"}, {Usage: provider.Usage{PromptTokens: 4096, AnswerTokens: 1}}}},
		Models:  []provider.Info{{Name: "test:1b", Context: 8192}},
	}
	story, _ := tell(t, chat(model, nil).Send(t.Context(), provider.Conversation{}, strings.Repeat("word ", 8000)), nil)
	if !strings.Contains(story, "The model server seems to have left out the beginning of the conversation: it read 4.1k of about 11.5k tokens.") {
		t.Errorf("the story is\n%.500s", story)
	}
}

func TestAContextThatCannotBeChosenIsUsedAsItIs(t *testing.T) {
	model := &providertest.Script{
		Replies: []providertest.Reply{{{Text: "Hi"}}},
		Models:  []provider.Info{{Name: "test:1b", Context: 24000, Fixed: true}},
	}
	c := chat(model, nil)
	tell(t, c.Send(t.Context(), provider.Conversation{}, "Hi"), nil)
	if got := model.Requests()[0].Context; got != 24000 || c.Window() != 24000 {
		t.Errorf("the context is %d, and is told as %d", got, c.Window())
	}
}

func TestTheServerCountsBetter(t *testing.T) {
	counted := provider.Usage{PromptTokens: 7000, AnswerTokens: 1}
	model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Hm"}, {Usage: counted}}, {{Text: "Hm"}}}}
	c := chat(model, nil)
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, strings.Repeat("字", 2500)), nil)
	tell(t, c.Send(t.Context(), ended.Conversation, strings.Repeat("字", 2500)), nil)
	if first, second := model.Requests()[0].Context, model.Requests()[1].Context; first != 8192 || second != 16384 {
		t.Errorf("the contexts are %d and %d", first, second)
	}
}

// readOn is a call of read_more.
func readOn(ids ...string) providertest.Step {
	var step providertest.Step
	for _, id := range ids {
		step.Calls = append(step.Calls, provider.Call{Name: "read_more", Arguments: fmt.Appendf(nil, `{"id":%q,"from":1000}`, id)})
	}
	return step
}

// Two results may differ only in what was left out of both.
func TestReadingOnInResultsThatLookAlike(t *testing.T) {
	half := strings.Repeat("x\n", 200_000)
	more := func(id string) provider.Call {
		return provider.Call{Name: "read_more", Arguments: fmt.Appendf(nil, `{"id":%q,"from":%d}`, id, len(half))}
	}
	model := &providertest.Script{Replies: []providertest.Reply{
		{calls("read_file", "read_name")}, {{Calls: []provider.Call{more("call_1"), more("call_2")}}}, {{Text: "Read."}},
	}}
	c := chat(model, toolbox{{"read_file", says(half + "one\n" + half)}, {"read_name", says(half + "two\n" + half)}})
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	made := ended.Result.ToolCalls
	if len(made) != 4 || !strings.Contains(made[2].Result, "\none\n") || !strings.Contains(made[3].Result, "\ntwo\n") {
		t.Errorf("%s: %.80q, %.80q", becameOf(ended.Result), made[len(made)-2].Result, made[len(made)-1].Result)
	}
}

// A new conversation numbers its calls anew, and nothing of another one is read in it.
func TestWhatWasCutBelongsToItsConversation(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{calls("read_file")}, {{Text: "Long."}}, {calls("read_name")}, {readOn("call_1")}, {{Text: "Short."}}}}
	c := chat(model, toolbox{{"read_file", says(lines(100_000))}, {"read_name", says("Ada")}})
	tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
	if n := len(model.Requests()[2].Tools); n != 2 {
		t.Errorf("in a new conversation %d tools are offered", n)
	}
	if call := ended.Result.ToolCalls[1]; call.Status != provider.CallError || !strings.Contains(call.Result, `"call_1" is not kept any more`) {
		t.Errorf("the model reads %q", call.Result)
	}
}

// Several pieces in one round share what room there is, as other results do.
func TestPiecesShareTheRoom(t *testing.T) {
	model := small(providertest.Reply{calls("read_file")}, providertest.Reply{readOn("call_1", "call_1", "call_1", "call_1")}, providertest.Reply{{Text: "Read."}})
	c := chat(model, toolbox{{"read_file", says(lines(100_000))}})
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}.With(), "Go"), nil)
	sum := 0
	for _, call := range ended.Result.ToolCalls[1:] {
		sum += len(call.Result)
	}
	if sum > 8192*7/2 || len(model.Requests()) != 3 {
		t.Errorf("the pieces have %d bytes", sum)
	}
}

func TestResultsWithMoreTokensThanTheySeemAreCutAgain(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
	model := small(providertest.Reply{calls("read_file")}, providertest.Reply{{Err: tooLong}}, providertest.Reply{{Err: tooLong}}, providertest.Reply{{Text: "Snow."}})
	_, ended := tell(t, chat(model, toolbox{{"read_file", says(strings.Repeat("☃", 5000))}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	requests := model.Requests()
	first, third := len(last(requests[1].Messages).Text), len(last(requests[3].Messages).Text)
	if ended.Result.Answer != "Snow." || first < 15_000 || third > first/3 || !strings.Contains(said(requests[3].Messages), "user: Go") {
		t.Errorf("the result was sent with %d bytes and then with %d; the turn ended as %+v", first, third, ended.Result.Stop)
	}
}
