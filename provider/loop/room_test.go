package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func last2[T any](list []T) T { return list[len(list)-1] }

// many returns n tools with long schemas.
func many(n int) *kit {
	const schema = `{"type":"object","properties":{"wanted":{"type":"string"},"other":{"type":"string","title":"Other",` +
		`"examples":["x"],"description":%q}},"required":["wanted"]}`
	k := &kit{tools: make([]mcpclient.Tool, n)}
	for i := range k.tools {
		own := fmt.Sprintf("tool_%d", i)
		k.tools[i] = mcpclient.Tool{Name: "box__" + own, Server: "box", ServerTool: own}
		k.tools[i].Schema = fmt.Appendf(nil, schema, strings.Repeat("words ", 100))
	}
	return k
}

func TestLargeToolsAreShortened(t *testing.T) {
	for _, test := range []struct {
		tools, offered int
		slim           bool
		notice         string
	}{
		{3, 3, false, ""},
		{14, 14, false, "The tools take about 3.2k tokens, 39% of the context window. Turn some off with /tools."},
		{40, 40, true, "Tool descriptions were shortened to fit the context window of 8.2k tokens"},
		{2000, 0, true, "of 2000 tools fit the context window of 8.2k tokens"},
	} {
		model := small(reply{{Text: "Hi"}})
		c := chat(model, nil)
		c.Tools = many(test.tools)
		story, _ := ask(t, c, "Go")
		offered := model.Requests()[0].Tools
		if test.offered > 0 && len(offered) != test.offered || len(offered) == 0 {
			t.Errorf("%d of %d tools were offered", len(offered), test.tools)
		}
		if slim := len(offered[0].Schema) < 400; slim != test.slim {
			t.Errorf("%d tools are slim: %v", test.tools, slim)
		}
		if !strings.Contains(story, test.notice) || test.notice == "" && strings.Contains(story, "notice") {
			t.Errorf("%d tools gave the story\n%s", test.tools, story)
		}
	}
}

func TestSources(t *testing.T) {
	links := func(_ context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: "see", Sources: []string{"docs://a", "https://example.org/b", "docs://a", " "}}, nil
	}
	model := script(replies{
		{calls(`read_page {"url":"https://example.org/b"}`, `read_page {"url":"https://example.org/c","note":"not a URL"}`,
			`do_links {"url":"https://example.org/written"}`)},
		{{Text: "Done."}},
	})
	_, ended := ask(t, chat(model, toolbox{{"read_page", says("page")}, {"do_links", links}}), "Go")
	if got := strings.Join(ended.Result.Sources, " "); got != "https://example.org/b https://example.org/c docs://a" {
		t.Errorf("the sources are %s", got)
	}
}

func TestNoSystemPrompt(t *testing.T) {
	model := &providertest.Script{Replies: replies{{{Text: "Hi"}}}, Forever: true}
	c := chat(model, nil)
	c.NoPrompt = true
	ask(t, c, "Hi")
	c.System = "Speak like a pirate."
	ask(t, c, "Hi")
	if m := model.Requests()[0].Messages; len(m) != 1 || m[0].Role != provider.RoleUser {
		t.Errorf("without a system prompt the messages are %+v", m)
	}
	if m := model.Requests()[1].Messages; len(m) != 2 || m[0].Text != "Speak like a pirate." {
		t.Errorf("with one's own the messages are %+v", m)
	}
}

func TestSilentTruncationIsNoticed(t *testing.T) {
	model := &providertest.Script{
		Replies: replies{{{Text: "Hm"}, {Usage: provider.Usage{PromptTokens: 4096, AnswerTokens: 1}}}},
		Models:  []provider.Info{{Name: "test:1b", Context: 8192}},
	}
	story, _ := ask(t, chat(model, nil), strings.Repeat("word ", 8000))
	hasAll(t, story, "seems to have dropped the beginning of the conversation: it read 4.1k of about 11.5k ")
}

func TestFixedContext(t *testing.T) {
	model := &providertest.Script{
		Replies: replies{{{Text: "Hi"}}},
		Models:  []provider.Info{{Name: "test:1b", Context: 24000, Fixed: true}},
	}
	c := chat(model, nil)
	ask(t, c, "Hi")
	if got := model.Requests()[0].Context; got != 24000 || c.Window().String() != "24k" {
		t.Errorf("the context is %d, and is told as %s", got, c.Window())
	}
}

func TestAssumedContextIsMarked(t *testing.T) {
	for _, test := range []struct {
		name   string
		info   provider.Info
		chosen int
		before string // the first turn
		after  string
	}{
		{"a server that does not report its size", provider.Info{Fixed: true}, 0, "about 32k", "about 32k"},
		{"a server that reports it", provider.Info{Fixed: true, Context: 24000}, 0, "24k", "24k"},
		{"a size in the configuration", provider.Info{Fixed: true}, 16384, "16.4k", "16.4k"},
		{"a model of unknown size", provider.Info{}, 0, "about 8k", "about 8k"},
		{"a model of known size", provider.Info{Context: 131072}, 0, "8.2k", "8.2k"},
	} {
		test.info.Name = "test:1b"
		c := chat(&providertest.Script{Replies: replies{{{Text: "Hi"}}}, Models: []provider.Info{test.info}}, nil)
		c.Context = test.chosen
		if c.Context == 0 && c.Window().String() != "about 8k" {
			t.Errorf("%s: before anything is known, the context is %s", test.name, c.Window())
		}
		*c = c.With(test.info)
		if got := c.Window().String(); got != test.before {
			t.Errorf("%s: before the first turn the context is %s, not %s", test.name, got, test.before)
		}
		_, ended := ask(t, c, "Hi")
		if got := ended.Result.Usage.Fill().Window.String(); got != test.after || c.Window().String() != got {
			t.Errorf("%s: after the first turn the context is %s, not %s", test.name, got, test.after)
		}
	}
}

func TestAssumedContextInNotices(t *testing.T) {
	unknown := provider.Info{Name: "test:1b", Fixed: true}
	c := chat(&providertest.Script{Replies: replies{{{Text: "Hi"}}}, Models: []provider.Info{unknown}}, nil)
	story, _ := ask(t, c, strings.Repeat("x", 200_000))
	hasAll(t, story, "and the context window about 32k")
}

func TestEstimateFollowsServerCount(t *testing.T) {
	counted := provider.Usage{PromptTokens: 7000, AnswerTokens: 1}
	model := script(replies{{{Text: "Hm"}, {Usage: counted}}, {{Text: "Hm"}}})
	c := chat(model, nil)
	_, ended := ask(t, c, strings.Repeat("字", 2500))
	tell(t, c.Send(t.Context(), ended.Conversation, strings.Repeat("字", 2500)), nil)
	if first, second := model.Requests()[0].Context, model.Requests()[1].Context; first != 8192 || second != 16384 {
		t.Errorf("the contexts are %d and %d", first, second)
	}
}

func TestTooLongResultIsShortened(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
	model := small(reply{calls("read_file")}, reply{{Err: tooLong}}, reply{{Text: "Snow."}})
	_, ended := ask(t, chat(model, toolbox{{"read_file", says(strings.Repeat("☃", 5000))}}), "Go")
	requests := model.Requests()
	first, second := len(last(requests[1].Messages).Text), len(last(requests[2].Messages).Text)
	hasAll(t, said(requests[2].Messages), "user: Go")
	if ended.Result.Answer != "Snow." || first < 15_000 || second > first/2 {
		t.Errorf("the result was sent with %d bytes, then %d; the turn ended as %+v", first, second, ended.Result.Stop)
	}
}
