package loop_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// unthinking is a model that does not think, so it can write sentences.
var unthinking = []provider.Info{{Name: "test:1b", Tools: true, Context: 32768}}

// withSentences returns a chat with a tool that takes d and a model with one sentence.
func withSentences(d time.Duration, first reply, sentence reply) (*loop.Chat, *providertest.Script) {
	model := &providertest.Script{Models: unthinking, Replies: replies{first, {{Text: "Done."}}}, Quick: replies{sentence}}
	c := chat(model, toolbox{{"read_user", takes(d, "Ada")}})
	return c, model
}

func TestSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, model := withSentences(5*time.Second, reply{calls(`read_user {"id":7}`)},
			reply{{Wait: time.Second, Text: "Looking up user 7"}, {Text: " in the database"}})
		story, _ := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who is 7?"), nil)
		same(t, "story", story, `
			(Analyzing request…)
			(Selecting appropriate tools…)
			called: call_1 Read User {"id":7} pending
			(Using Read User…)
			(Read User · "Looking up user 7 in the database")
			finished: call_1 Read User ok
			(Processing tool results…)
			(Formulating response…)
			text: Done.
			ended: done`)

		turn, next, quick := model.Requests()[0], model.Requests()[1], model.QuickRequests()[0]
		begins(t, quick, next)
		n := len(next.Messages)
		running, result := quick.Messages[n-1], next.Messages[n-1]
		if len(quick.Messages) != n+1 || running.Role != provider.RoleTool || running.CallID != result.CallID {
			t.Errorf("the tool is answered by %+v", running)
		}
		if turn.Purpose != provider.ForAnswer || quick.Purpose != provider.ForSentence || quick.Think != provider.ThinkOff ||
			quick.MaxTokens != 20 || *quick.Temperature != 0 {
			t.Errorf("the request for the sentence is %+v", quick)
		}
	})
}

// begins checks that the request for a sentence has the same beginning as the next round, up to the last result.
func begins(t *testing.T, quick, next provider.Request) {
	t.Helper()
	n := len(next.Messages) - 1
	if !reflect.DeepEqual(quick.Messages[:n], next.Messages[:n]) || !reflect.DeepEqual(quick.Tools, next.Tools) ||
		quick.Context != next.Context || quick.Model != next.Model {
		t.Errorf("the request for the sentence does not begin as the next round does: %+v", quick)
	}
}

func TestSentenceOfStatusModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, model := withSentences(5*time.Second, reply{calls("read_user")}, reply{{Text: "Looking up the user"}})
		c.StatusModel = "tiny"
		story, _ := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		hasAll(t, story, `(Read User · "Looking up the user")`)
		if quick := model.QuickRequests()[0]; quick.Model != "tiny" || len(quick.Messages) != 1 || quick.Tools != nil {
			t.Errorf("the request is %+v", quick)
		}
	})
}

func TestSentencePreservesPromptCache(t *testing.T) {
	thinks := step{Thinking: "Hm."}
	for statusModel, want := range map[string]int{"": 0, "tiny": 2} {
		synctest.Test(t, func(t *testing.T) {
			model := script(replies{
				{thinks, calls(`read_user {"id":7}`)}, {thinks, calls(`read_user {"id":8}`)}, {{Text: "Done."}},
			})
			c := chat(model, toolbox{{"read_user", takes(5*time.Second, "Ada")}})
			c.StatusModel = statusModel
			tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
			if n := len(model.QuickRequests()); n != want {
				t.Errorf("with the status model %q %d sentences were asked for, not %d", statusModel, n, want)
			}
		})
	}
}

// The prompt is in the tool's result, so that nothing after the last user message moves.
func TestSentenceWithThinkingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, model := withSentences(5*time.Second, reply{calls(`read_user {"id":7}`)}, reply{{Text: "Looking up the user"}})
		model.Models, c.Think = nil, provider.ThinkOff // it could
		story, _ := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		hasAll(t, story, `(Read User · "Looking up the user")`)
		next, quick := model.Requests()[1], model.QuickRequests()[0]
		begins(t, quick, next)
		n := len(next.Messages)
		if len(quick.Messages) != n || quick.Think != next.Think {
			t.Errorf("the request is %+v", quick)
		}
		if last := quick.Messages[n-1]; last.Role != provider.RoleTool || !strings.Contains(last.Text, "what you are doing") {
			t.Errorf("the request ends with %+v", last)
		}
	})
}

func TestThinkingReplacesSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thinks := reply{{Thinking: "They ask for a user. I should look up user 7."}, calls(`read_user {"id":7}`)}
		c, model := withSentences(5*time.Second, thinks, nil)
		model.Models = nil
		story, _ := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		want := "pending\n(Read User · \"Look up user 7\")\nfinished"
		if !strings.Contains(story, want) || len(model.QuickRequests()) != 0 {
			t.Errorf("the story with %d quick requests is\n%s", len(model.QuickRequests()), story)
		}
	})
}

func TestNoSentenceInTime(t *testing.T) {
	for name, test := range map[string]struct {
		tool     time.Duration
		sentence reply
		asked    int
	}{
		"fast tool":         {100 * time.Millisecond, reply{{Text: "Looking up the user"}}, 0},
		"late":              {10 * time.Second, reply{{Wait: 5 * time.Second, Text: "Looking up the user"}}, 1},
		"tool done earlier": {time.Second, reply{{Block: true}}, 1},
		"nothing":           {5 * time.Second, nil, 1},
		"nonsense":          {5 * time.Second, reply{{Text: `{"name":"read_user"}`}}, 1},
		"failure":           {5 * time.Second, reply{{Err: errors.New("busy")}}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, model := withSentences(test.tool, reply{calls("read_user")}, test.sentence)
			story, ended := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
			if !strings.Contains(story, "(Using Read User…)\nfinished") || len(model.QuickRequests()) != test.asked {
				t.Errorf("%s: with %d quick requests the story is\n%s", name, len(model.QuickRequests()), story)
			}
			if took := ended.Result.Timing.Total; took != test.tool.Milliseconds() {
				t.Errorf("%s: the turn waited for the sentence: %d ms", name, took)
			}
		})
	}
}

// The chat's own model would be reloaded with another context.
func TestStatusModelIsChatModel(t *testing.T) {
	for _, names := range [][2]string{{"test", "test:latest"}, {"test:latest", "test"}} {
		synctest.Test(t, func(t *testing.T) {
			c, model := withSentences(5*time.Second, reply{calls("read_user")}, reply{{Text: "Looking up the user"}})
			model.Models = []provider.Info{{Name: names[0], Tools: true, Context: 32768}}
			c.Name, c.StatusModel = names[0], names[1]
			tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
			asked := model.QuickRequests()
			if len(asked) != 1 || asked[0].Model != names[0] || len(asked[0].Messages) < 3 {
				t.Errorf("the requests for sentences are %v", fmt.Sprint(asked))
			}
		})
	}
}

// quickAnswer is a sentence with the counts of a server that took d to read its prompt.
func quickAnswer(usage provider.Usage, d time.Duration) reply {
	usage.Prompt, usage.AnswerTokens, usage.Answer = d, 4, 100*time.Millisecond
	return reply{{Wait: d, Text: "Looking up the user"}, {Usage: usage}}
}

// sentencesAsked runs two turns, each with a slow tool and a sentence, and returns how many sentences were asked for.
func sentencesAsked(t *testing.T, info provider.Info, statusModel string, sentence, next reply) int {
	t.Helper()
	first := loads(served(1000, 20, 100, calls("read_user")))
	model := &providertest.Script{Models: []provider.Info{info}, Quick: replies{sentence, sentence},
		Replies: replies{first, next, served(1100, 20, 3, calls("read_user")), next}}
	c := chat(model, toolbox{{"read_user", takes(30*time.Second, "Ada")}})
	c.StatusModel, c.Pace = statusModel, pace.Open(filepath.Join(t.TempDir(), "pace.json"), "http://here")
	synctest.Test(t, func(t *testing.T) {
		_, ended := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		c.Shared = new(loop.Shared)
		tellAs(t, status.StyleSentence, c.Send(t.Context(), ended.Conversation, "And?"), nil)
	})
	return len(model.QuickRequests())
}

// A sentence is worth reading the request for it, but not reading the conversation again.
func TestSentenceThatRereadsIsNotAskedAgain(t *testing.T) {
	kept := served(1060, 3, 6, step{Text: "Ok."})
	quickly := func(prompt, read int) reply {
		return quickAnswer(provider.Usage{PromptTokens: prompt, ReadTokens: read}, 90*time.Millisecond)
	}
	plain := unthinking[0]
	uncut := plain
	uncut.Uncut = true
	for name, test := range map[string]struct {
		info           provider.Info
		statusModel    string
		sentence, next reply
		want           int
	}{
		"kept":                 {plain, "", quickly(1110, 0), kept, 2},
		"kept, as reported":    {plain, "", quickly(1110, 90), kept, 2},
		"read again":           {plain, "", quickly(1110, 1110), kept, 1},
		"the next round reads": {plain, "", quickly(1110, 0), reports(kept, 1060), 2},
		"a sliding window":     {uncut, "", quickly(1110, 0), kept, 0},
		"another model":        {uncut, "tiny", quickly(90, 90), kept, 2},
	} {
		if got := sentencesAsked(t, test.info, test.statusModel, test.sentence, test.next); got != test.want {
			t.Errorf("%s: %d sentences were asked for, not %d", name, got, test.want)
		}
	}
}

// The time shows it if the server does not report it.
func TestSlowSentenceIsNotAskedAgain(t *testing.T) {
	first := loads(served(1000, 20, 100, calls("read_user"))) // 1 ms for each token
	slow := quickAnswer(provider.Usage{PromptTokens: 1110}, 1900*time.Millisecond)
	model := &providertest.Script{Models: unthinking, Quick: replies{slow, slow},
		Replies: replies{first, served(1100, 20, 10, calls("read_user")), served(1200, 3, 10, step{Text: "Ok."})}}
	c := chat(model, toolbox{{"read_user", takes(30*time.Second, "Ada")}})
	synctest.Test(t, func(t *testing.T) {
		tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
	})
	if n := len(model.QuickRequests()); n != 1 {
		t.Errorf("%d sentences were asked for", n)
	}
}

func TestSentenceIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Models: unthinking,
			Quick:   replies{quickAnswer(provider.Usage{PromptTokens: 1110}, 100*time.Millisecond)},
			Replies: replies{loads(served(1000, 20, 100, calls("read_user"))), served(1060, 3, 6, step{Text: "Ok."})}}
		c := chat(model, toolbox{{"read_user", takes(30*time.Second, "Ada")}})
		_, ended := tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		if got := status.Receipt(ended.Result); !strings.Contains(got, "read about 1.2k tok 1s · 27 tok") {
			t.Errorf("the receipt is %q", got)
		}
	})
}

// Once, another program may have used the server.
func TestSentencesAfterWhichRoundsRereadEnd(t *testing.T) {
	quick := quickAnswer(provider.Usage{PromptTokens: 1110}, 100*time.Millisecond)
	kept := func(prompt int) reply {
		return served(prompt, 20, 6, calls(fmt.Sprintf(`read_user {"id":%d}`, prompt)))
	}
	again := func(prompt int) reply { return reports(kept(prompt), prompt) }
	for name, test := range map[string]struct {
		replies replies
		want    int
	}{
		"twice":        {replies{again(1060), again(1120)}, 2},
		"not in a row": {replies{again(1060), kept(1120), again(1180)}, 5},
	} {
		book := pace.Open("", "http://here")
		model := &providertest.Script{Models: unthinking, Quick: slices.Repeat(replies{quick}, 9)}
		model.Replies = append(append(replies{loads(served(1000, 20, 100, calls("read_user")))}, test.replies...),
			kept(1240), reply{{Text: "Ok."}})
		c := chat(model, toolbox{{"read_user", takes(30*time.Second, "Ada")}})
		c.Pace = book
		synctest.Test(t, func(t *testing.T) {
			tellAs(t, status.StyleSentence, c.Send(t.Context(), provider.Conversation{}, "Who?"), nil)
		})
		if n := len(model.QuickRequests()); n != test.want || book.CostlyAsides(c.Name) {
			t.Errorf("%s: %d sentences were asked for, not %d; saved: %t", name, n, test.want, book.CostlyAsides(c.Name))
		}
	}
}
