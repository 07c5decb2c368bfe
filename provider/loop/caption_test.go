package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// captions returns the texts of the status line while tools ran, and how often the line changed.
func captions(t *testing.T, c *loop.Chat) (words []string, told int) {
	t.Helper()
	for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Go"), status.StyleSentence) {
		s, ok := event.(status.State)
		if !ok || s.Phase != status.UsingTool {
			continue
		}
		told++
		if n := len(words); n == 0 || words[n-1] != s.Words() {
			words = append(words, s.Words())
		}
	}
	return words, told
}

func TestSentenceIsAboutTheFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{
			Models:  unthinking,
			Replies: replies{{calls("read_user", "read_issues", "read_page")}, {{Text: "Done."}}},
			Quick: replies{
				{{Wait: time.Second, Text: "Looking up the user"}},
				{{Wait: 500 * time.Millisecond, Text: "Searching the issues"}},
			},
		}
		c := chat(model, toolbox{
			{"read_user", takes(3*time.Second, "Ada")}, {"read_issues", takes(6*time.Second, "none")},
			{"read_page", takes(5*time.Second, "page")},
		})
		words, _ := captions(t, c)
		same(t, "words", strings.Join(words, "\n"), `
			Using 3 tools: Read User, Read Issues, Read Page
			Using 3 tools: Read User, Read Issues, Read Page · "Looking up the user"
			Using 2 tools: Read Issues, Read Page
			Using 2 tools: Read Issues, Read Page · "Searching the issues"
			Read Issues · "Searching the issues"`)
	})
}

// A tool may report progress thousands of times a second. It must not block, and its last report must not be lost.
func TestFloodOfProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index := func(_ context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			began := time.Now()
			for i := range 10_000 {
				progress(mcpclient.Progress{Done: float64(i + 1), Total: 10_000})
				time.Sleep(100 * time.Microsecond)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("the tool was held up: %v", took)
			}
			time.Sleep(time.Second)
			return mcpclient.Result{Text: "indexed"}, nil
		}
		words, told := captions(t, chat(rounds([][]string{{"read_repository"}}), toolbox{{"read_repository", index}}))
		if last := words[len(words)-1]; told > 7 || last != "Read Repository · 10000/10000" {
			t.Errorf("the line changed %d times, and at last said %q", told, last)
		}
	})
}

func TestSameToolOnTwoServers(t *testing.T) {
	c := chat(script(replies{
		wish("github__issues"), wish("gitlab__issues"), wish("github__wiki"), {{Text: "Done."}},
	}), nil)
	tools := &kit{}
	for _, name := range []string{"github__issues", "gitlab__issues", "github__wiki"} {
		server, own, _ := strings.Cut(name, "__")
		tools.tools = append(tools.tools, mcpclient.Tool{Name: name, Server: server, ServerTool: "search_" + own})
	}
	c.Tools = tools
	words, _ := captions(t, c)
	same(t, "words", strings.Join(words, "\n"), `
		Using Search Issues on github…
		Using Search Issues on gitlab…
		Using Search Wiki on github…`)
}

// The server reads a whole request before it notices that it was cancelled.
func TestSlowModelIsAskedLateOrNotAtAll(t *testing.T) {
	for name, test := range map[string]struct {
		each  time.Duration // per token that is read
		tool  time.Duration
		asked int
	}{
		"a quick model, a quick tool": {100 * time.Microsecond, 100 * time.Millisecond, 0},
		"a quick model":               {100 * time.Microsecond, 200 * time.Millisecond, 1},
		"a slower model":              {2 * time.Millisecond, 600 * time.Millisecond, 0},
		"a slower model, a slow tool": {2 * time.Millisecond, time.Second, 1},
		"a slow model, a slow tool":   {12 * time.Millisecond, time.Minute, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			first := reply{calls("read_user"), measured(1000, 20, 1000*test.each, time.Second/50)}
			c, model := withSentences(test.tool, first, reply{{Text: "Looking up the user"}})
			tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
			if n := len(model.QuickRequests()); n != test.asked {
				t.Errorf("%s: %d sentences were asked for", name, n)
			}
		})
	}
}

func TestTruncatedSentenceIsIgnored(t *testing.T) {
	for said, want := range map[string]string{
		"Looking up the user in": "Using Read User…",
		"Looking up the user in the database to find out what they have": `Read User · "Looking up the user in the ` +
			`database to find out…"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := withSentences(5*time.Second, reply{calls("read_user")}, reply{{Text: said}, {Done: "length"}})
			words, _ := captions(t, c)
			if last := words[len(words)-1]; last != want {
				t.Errorf("the line says %q, not %q", last, want)
			}
		})
	}
}

func TestTokensComeFromTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{
			{{Text: "One two"}, {Text: " three"}, {Cut: true}},
			{calls("read_user"), measured(100, 13, 0, 0)},
			{{Text: "Done."}, measured(100, 2, 0, 0)},
		})
		tokens := map[status.Phase]int{}
		c := chat(model, toolbox{{"read_user", says("Ada")}})
		for event := range observed(t, nil, c.Send(t.Context(), provider.Conversation{}, "Who?")) {
			if s, ok := event.(status.State); ok {
				tokens[s.Phase] = s.Tokens
			}
		}
		if tokens[status.Retrying] != 0 || tokens[status.UsingTool] != 13 {
			t.Errorf("the line counts %v: what is taken back does not count, and of a call all its tokens", tokens)
		}
	})
}
