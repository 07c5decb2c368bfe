package loop_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// strict has a server refuse requests that do not fit its context window, which no request can change. It counts a
// token for each two bytes. If it is silent, refusals have no sizes.
func strict(window *int, silent bool) func(provider.Request) error {
	return func(req provider.Request) error {
		bytes := 0
		for _, m := range req.Messages {
			bytes += len(m.Text)
		}
		switch {
		case bytes/2 <= *window:
			return nil
		case silent:
			return &provider.Error{Kind: provider.KindTooLong, Text: "too long"}
		}
		return &provider.Error{Kind: provider.KindTooLong, Text: "too long", Tokens: bytes / 2, Window: *window}
	}
}

func TestTooLongWithSizesIsSentOnceMore(t *testing.T) {
	unknown := []provider.Info{{Name: "test:1b", Tools: true, Fixed: true}}
	known := []provider.Info{{Name: "test:1b", Tools: true, Fixed: true, Context: 8192}}
	for name, test := range map[string]struct {
		models  []provider.Info
		window  int
		before  provider.Conversation
		result  int // bytes of a tool's result
		replies replies
	}{
		"long talk, unknown context": {unknown, 8192, talked(8, 4000), 0, replies{{{Text: "Ok."}}}},
		"long talk, known context":   {known, 8192, talked(8, 1900), 0, replies{{{Text: "Ok."}}}},
		"long result, known context": {
			known, 8192, provider.Conversation{}, 18000, replies{{calls("read_file")}, {{Text: "Ok."}}}},
		"long result, smaller context": {
			known, 6000, provider.Conversation{}, 18000, replies{{calls("read_file")}, {{Text: "Ok."}}}},
	} {
		t.Run(name, func(t *testing.T) {
			refused := append(test.replies[:len(test.replies)-1:len(test.replies)-1], reply{}, last2(test.replies))
			script := &providertest.Script{Replies: refused, Models: test.models, Summary: reply{{Text: "They talked."}}}
			c := chat(script, toolbox{{"read_file", says(strings.Repeat("r", test.result))}})
			script.Refuse = strict(&test.window, false)
			_, ended := askIn(t, c, test.before, "And now?")
			if r := ended.Result; r.Answer != "Ok." || r.Usage.ContextSize != test.window {
				t.Errorf("it ended as %+v with %q and %+v", r.Stop, r.Answer, r.Usage)
			}
			if n := len(script.Requests()); n != len(refused) {
				t.Errorf("%d requests, want %d", n, len(refused))
			}
			if test.result > 0 && len(last(last2(script.Requests()).Messages).Text) < test.window/2 {
				t.Errorf("only %d bytes are left of the result", len(last(last2(script.Requests()).Messages).Text))
			}
		})
	}
}

// TestTooLongWithSizesIsLoadedOnce checks that a server whose context can be chosen is asked for the right size.
func TestTooLongWithSizesIsLoadedOnce(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "too long", Tokens: 20000, Window: 8192}
	model := trained(65536, replies{{{Err: tooLong}}, {{Text: "Ok."}}})
	_, ended := ask(t, chat(model, nil), strings.Repeat("字", 5000))
	if r := ended.Result; r.Answer != "Ok." || r.Usage.ContextSize != 32768 {
		t.Errorf("it ended as %+v with %q and %+v", r.Stop, r.Answer, r.Usage)
	}
}

// TestTooLongWithoutSizesIsTriedOnceMore has a server that refuses everything. Only a model with a larger context is
// asked again.
func TestTooLongWithoutSizesIsTriedOnceMore(t *testing.T) {
	for name, test := range map[string]struct {
		context  int
		conv     provider.Conversation
		requests int
	}{
		"a question":                       {65536, provider.Conversation{}, 2},
		"a long talk":                      {65536, talked(9, 1900), 2},
		"a question in a small context":    {8192, provider.Conversation{}, 1},
		"a longer talk in a small context": {8192, talked(30, 4000), 1},
	} {
		script := trained(test.context, replies{{{Text: "Ok."}}})
		script.Forever = true
		c := chat(script, toolbox{{"read_file", says("42")}})
		script.Refuse = strict(new(int), true)
		_, ended := askIn(t, c, test.conv, "And now?")
		endsAs(t, ended, event.Failed, "")
		if n, m := len(script.Requests()), len(script.SummaryRequests()); n != test.requests || m > 8 {
			t.Errorf("%s: %d requests, want %d, and %d for summaries", name, n, test.requests, m)
		}
		for _, r := range script.Requests() {
			if r.Messages[0].Role != provider.RoleSystem || last(r.Messages).Text != "And now?" || len(r.Tools) != 1 {
				t.Errorf("%s: a request ends with %+v", name, last(r.Messages))
			}
		}
	}
}

func TestTooLongWithoutAnySizeIsHalved(t *testing.T) {
	for _, turns := range []int{8, 16} {
		script := &providertest.Script{Replies: replies{{}, {{Text: "Ok."}}}, Summary: reply{{Text: "They talked."}},
			Models: []provider.Info{{Name: "test:1b", Tools: true, Fixed: true}}}
		c := chat(script, nil)
		window := 8192
		script.Refuse = strict(&window, true)
		_, ended := askIn(t, c, talked(turns, 4000), "And now?")
		if r := ended.Result; r.Answer != "Ok." {
			t.Errorf("%d turns: it ended as %+v with %q after %d requests", turns, r.Stop, r.Answer, len(script.Requests()))
		}
	}
}

// TestMessageThatMayFitIsSent checks that only the server refuses a message: an estimate may be many times too high.
func TestMessageThatMayFitIsSent(t *testing.T) {
	for name, message := range map[string]provider.Message{
		"Russian":        {Text: strings.Repeat("Разработчики считают, что переход займёт несколько месяцев. ", 600)},
		"Hindi":          {Text: strings.Repeat("हम कल शाम को नई योजना पर बात करेंगे। ", 800)},
		"a padded table": {Text: strings.Repeat("| name"+strings.Repeat(" ", 90)+"| 7 |\n", 700)},
		"rules":          {Text: strings.Repeat(strings.Repeat("-", 78)+"\n", 900)},
		"small images":   {Text: "Compare", Images: make([][]byte, 24)},
	} {
		message.Role = provider.RoleUser
		for _, fixed := range []bool{false, true} {
			info := provider.Info{Name: "test:1b", Vision: true, Context: 8192, Fixed: fixed}
			model := &providertest.Script{Replies: replies{{{Text: "Ok."}}}, Models: []provider.Info{info}}
			_, ended := tell(t, chat(model, nil).SendAll(t.Context(), provider.Conversation{}, message), nil)
			if ended.Result.Answer != "Ok." {
				t.Errorf("%s: it ended as %+v", name, ended.Result.Stop)
			}
		}
	}
}

// TestAssumedWindowIsNoMeasure checks that a refusal without sizes does not count as a measurement of a context that
// is only assumed.
func TestAssumedWindowIsNoMeasure(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "too long"}
	model := &providertest.Script{Replies: replies{{{Err: tooLong}}, {{Text: "Ok."}}},
		Models: []provider.Info{{Name: "test:1b", Fixed: true}}}
	c := chat(model, nil)
	ask(t, c, "Hi")
	_, ended := ask(t, c, strings.Repeat("word ", 4000))
	if r := ended.Result; r.Answer != "Ok." || r.Usage.ContextUsed > 20000 {
		t.Errorf("it ended as %+v with %q and %+v", r.Stop, r.Answer, r.Usage)
	}
}

// started is a server that is started with a context of its own, and counts how often it is described.
type started struct {
	*providertest.Script
	window, described int
}

func startServer(window, reported int, r ...reply) *started {
	s := &started{Script: &providertest.Script{Replies: r, Forever: true}, window: window}
	s.Refuse = strict(&s.window, false)
	s.report(reported)
	return s
}

// report sets the context that the server reports. 0 means that it reports none.
func (s *started) report(tokens int) {
	s.Models = []provider.Info{{Name: "test:1b", Tools: true, Fixed: true, Context: tokens}}
}

func (s *started) Describe(ctx context.Context, name string) (provider.Info, error) {
	s.described++
	return s.Script.Describe(ctx, name)
}

// TestContextOfServerIsAskedForAgain sends a message, changes the server, and sends the message again.
func TestContextOfServerIsAskedForAgain(t *testing.T) {
	short, long := "Hi", strings.Repeat("word ", 4000)
	for name, test := range map[string]struct {
		text                string
		window, reported    int // before
		windowThen, nowSays int // after
		fails               bool
		described           int
		context             string // after the second answer
	}{
		"known":                             {short, 8192, 8192, 8192, 8192, false, 1, "8.2k"},
		"loaded by the first answer":        {short, 8192, 0, 8192, 8192, false, 2, "8.2k"},
		"larger after a refusal":            {long, 8192, 8192, 65536, 65536, true, 2, "65.5k"},
		"larger, but never reported":        {long, 4096, 0, 65536, 0, true, 2, "about 32k"},
		"not reported any more":             {long, 8192, 8192, 65536, 0, true, 2, "8.2k"},
		"larger than in a mistaken refusal": {long, 512, 65536, 65536, 65536, true, 2, "about 32k"},
	} {
		answer := reply{{Text: "Ok."}, {Usage: provider.Usage{PromptTokens: 6000}}}
		if test.text == short {
			answer = answer[:1]
		}
		server := startServer(test.window, test.reported, answer)
		c := chat(nil, nil)
		c.Model = server
		if _, ended := ask(t, c, test.text); (ended.Err != nil) != test.fails {
			t.Errorf("%s: it ended with %v", name, ended.Err)
		}
		server.window = test.windowThen
		server.report(test.nowSays)
		_, ended := ask(t, c, test.text)
		if got := ended.Result.Usage.Fill().Window.String(); ended.Err != nil || got != test.context {
			t.Errorf("%s: it ended with %v and a context of %s", name, ended.Err, got)
		}
		if server.described != test.described {
			t.Errorf("%s: it was described %d times, want %d", name, server.described, test.described)
		}
	}
}

// TestSmallerContextThanReportedIsKept checks that a server that reports more than it has refuses once.
func TestSmallerContextThanReportedIsKept(t *testing.T) {
	server := startServer(6000, 8192, reply{{Text: "Ok."}})
	server.Summary = reply{{Text: "Sum"}}
	c := chat(nil, nil)
	c.Model = server
	for range 3 {
		if _, ended := askIn(t, c, talked(8, 1700), "And now?"); ended.Result.Usage.ContextSize != 6000 {
			t.Errorf("it ended as %+v with %+v", ended.Result.Stop, ended.Result.Usage)
		}
	}
	if n := len(server.Requests()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

// TestModelChosenAgainIsDescribedAnew checks that /model replaces what was known, such as the context of a server.
func TestModelChosenAgainIsDescribedAnew(t *testing.T) {
	info := provider.Info{Name: "test:1b", Fixed: true, Context: 8192}
	c := chat(&providertest.Script{Replies: replies{{{Text: "Ok."}}}, Models: []provider.Info{info}}, nil)
	ask(t, c, "Hi")
	info.Context = 65536
	if *c = c.With(info); c.Window().Tokens != 65536 {
		t.Errorf("the context is %s", c.Window())
	}
}
