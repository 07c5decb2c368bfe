package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
)

// loaded is a model in the memory of its server.
type loaded struct {
	*providertest.Script
	context   int
	asked     int // times
	described int // times
}

func (l *loaded) LoadedContext(context.Context, string) int {
	l.asked++
	return l.context
}

func (l *loaded) OnGPU(context.Context, string) (share float64, known bool) { return 1, l.context > 0 }

func (l *loaded) Describe(ctx context.Context, name string) (provider.Info, error) {
	l.described++
	return l.Script.Describe(ctx, name)
}

// TestUnknownModel checks that a model in memory is described only if the answer depends on it.
func TestUnknownModel(t *testing.T) {
	answer := reply{{Text: "Hello"}}
	for name, test := range map[string]struct {
		change    func(*loaded, *loop.Chat)
		text      string
		replies   replies
		described int
	}{
		"a short question": {nil, "Hi", replies{answer}, 0},
		"a long question":  {nil, strings.Repeat("Hi ", 5000), replies{answer}, 1},
		"a call":           {nil, "Hi", replies{{calls(`read_file {}`)}, {calls(`read_file {"a":1}`)}, answer}, 1},
		"tools refused": {nil, "Hi", replies{
			{{Err: &provider.Error{Kind: provider.KindNoTools, Text: "no tools"}}}, answer}, 1},
		"too long": {nil, "Hi", replies{
			{{Err: &provider.Error{Kind: provider.KindTooLong, Text: "too long"}}}, answer}, 1},
		"not in memory": {func(l *loaded, _ *loop.Chat) { l.context = 0 }, "Hi", replies{answer}, 1},
		"own context":   {func(_ *loaded, c *loop.Chat) { c.Context = 4096 }, "Hi", replies{answer}, 1},
		"thinking on":   {func(_ *loaded, c *loop.Chat) { c.Think = provider.ThinkOn }, "Hi", replies{answer}, 1},
		"remembered": {func(_ *loaded, c *loop.Chat) {
			c.Pace.NoteInfo(c.Name, "digest", provider.Info{Name: c.Name})
		}, "Hi", replies{answer}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			model := &loaded{Script: script(test.replies), context: 16384}
			c := chat(model.Script, toolbox{{"read_file", takes(0, "42")}})
			c.Model, c.Pace = model, pace.Open("", "")
			if test.change != nil {
				test.change(model, c)
			}
			_, ended := ask(t, c, test.text)
			if model.asked != 1 {
				t.Errorf("it was asked %d times for the loaded context", model.asked)
			}
			if ended.Result.Answer != "Hello" || model.described != test.described {
				t.Errorf("it answers %q and was described %d times; want %d", ended.Result.Answer, model.described,
					test.described)
			}
			if req := model.Requests()[0]; len(req.Tools) != 1 || model.context > 0 && c.Context == 0 && req.Context != 16384 {
				t.Errorf("the first request has %d tools and the context %d", len(req.Tools), req.Context)
			}
		})
	}
}

// TestContextOfAnotherProgram checks that a loaded context is taken over only with room for an answer: a quarter
// of it, and at least 2,048 tokens. Otherwise the model is loaded once with the right size.
func TestContextOfAnotherProgram(t *testing.T) {
	for name, test := range map[string]struct{ loaded, trained, tokens, want int }{
		"enough room":            {4096, 32768, 1500, 4096},
		"little room":            {4096, 32768, 2500, 8192},
		"too small":              {4096, 32768, 9000, 16384},
		"a quarter":              {16384, 65536, 11500, 16384},
		"less than a quarter":    {16384, 65536, 13500, 32768},
		"as large as can be":     {16384, 16384, 11800, 16384},
		"larger than affordable": {65536, 32768, 1500, 65536},
	} {
		t.Run(name, func(t *testing.T) {
			model := &loaded{Script: trained(test.trained, replies{{{Text: "Yes"}}, {{Text: "Yes"}}}), context: test.loaded}
			c := chat(model.Script, nil)
			c.Model = model
			text := strings.Repeat("1234567", test.tokens/2)
			_, ended := ask(t, c, text)
			model.context = model.Requests()[0].Context
			askIn(t, c, ended.Conversation, "And?")
			for i, request := range model.Requests() {
				if request.Context != test.want {
					t.Errorf("request %d has the context %d, want %d", i+1, request.Context, test.want)
				}
			}
		})
	}
}

// What a model reads of a second question depends on what it can do.
func TestSecondQuestionNeedsDescription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := step{Text: "Ok."}
		model := &loaded{Script: script(replies{served(500, 5, 500, ok), served(515, 5, 10, ok)}), context: 16384}
		model.Models = unthinking
		c := chat(model.Script, nil)
		c.Model = model
		_, conv := readAs(t, c, provider.Conversation{}, "Hi")
		described := model.described
		said, _ := readAs(t, c, conv, "And?")
		if described != 0 || model.described != 1 || said != "read about 11 tok 0.1s" {
			t.Errorf("it was described %d times, then %d times, and says %s", described, model.described, said)
		}
	})
}
