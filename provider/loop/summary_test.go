package loop_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// A request with another context makes the server load the model again. A summary has that of the turn.
func TestASummaryHasTheContextOfItsTurn(t *testing.T) {
	for name, test := range map[string]struct{ trained, fixed, want int }{
		"large": {32768, 0, 16384}, "fixed": {32768, 16384, 16384}, "tiny": {4096, 0, 4096},
	} {
		model := &providertest.Script{Replies: replies{{{Text: "Ok."}}}, Summary: reply{{Text: "They talked."}},
			Models: []provider.Info{{Name: "test:1b", Tools: true, Context: test.trained}}}
		c := chat(model, nil)
		c.Context = test.fixed
		askIn(t, c, talked(40, 6000), "And now?")
		summary, turn := model.SummaryRequests()[0], model.Requests()[0]
		if summary.Context != test.want || turn.Context != test.want {
			t.Errorf("%s: the context of the summary is %d, that of the turn %d, not %d", name, summary.Context, turn.Context, test.want)
		}
	}
}

// What is asked to be summarised fits, also when the model wrote long arguments, which stay objects and stay in the conversation.
func TestLongArgumentsAreShortInWhatIsSummarised(t *testing.T) {
	var conv provider.Conversation
	long := fmt.Sprintf(`{"path":"a.txt","text":%q}`, strings.Repeat("word ", 4000))
	for i := range 6 {
		id := fmt.Sprintf("call_%d", i)
		conv = conv.With(user("Write"), provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: id, Name: "box__do_write", Arguments: []byte(long)}}},
			provider.Message{Role: provider.RoleTool, CallID: id, Tool: "box__do_write", Text: "written"}, provider.Message{Role: provider.RoleAssistant, Text: "Done."})
	}
	model := small(reply{{Text: "Ok."}})
	model.Summary = reply{{Text: "They wrote."}}
	_, ended := askIn(t, chat(model, nil), conv, "And now?")
	size := 0
	for _, m := range model.SummaryRequests()[0].Messages {
		size += len(m.Text)
		for _, call := range m.Calls {
			size += len(call.Arguments)
			if !strings.HasPrefix(string(call.Arguments), "{") {
				t.Errorf("the arguments are %s", call.Arguments)
			}
		}
	}
	if size > 8192*7/2 || string(ended.Conversation.Messages()[1].Calls[0].Arguments) != long {
		t.Errorf("%d bytes are to be summarised", size)
	}
}

// A server that never gets to the end of a summary does not hold up the turn, whose clock stands still.
func TestASummaryWithoutEndIsGivenUp(t *testing.T) {
	word := step{Text: "They talked. "}
	drip := reply{}
	for range 1000 {
		drip = append(drip, step{Wait: 30 * time.Second, Text: "word "})
	}
	for name, summary := range map[string]reply{
		"silent in the middle": {word, {Block: true}}, "silent from the start": {{Block: true}}, "slow": drip,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := small(reply{{Text: "Ok."}})
				model.Summary = summary
				c := chat(model, nil)
				c.Interactive = false
				began := time.Now()
				_, ended := askIn(t, c, talked(12, 6000), "And now?")
				if text := said(model.Requests()[0].Messages); ended.Result.Answer != "Ok." || !strings.Contains(text, "the person asked:\n- Question ") || time.Since(began) > 10*time.Minute {
					t.Errorf("after %v the turn ended as %+v", time.Since(began), ended.Result.Stop)
				}
			})
		})
	}
}

func TestASummaryIsWhatTheModelSays(t *testing.T) {
	talk := reply{}
	for range 4000 {
		talk = append(talk, step{Text: "They talked. "})
	}
	for name, test := range map[string]struct {
		summary reply
		want    string
	}{
		"thoughts that the prompt opened": {reply{{Text: "Hm, what"}, {Text: " was it?\n</think>\n\nThey"}, {Text: " talked."}}, "short:\nThey talked.\n"},
		"only thoughts":                   {reply{{Text: "Hm, what was it?\n</think>"}}, "the person asked:"},
		"without end":                     {talk, "They talked. "},
	} {
		model := small(reply{{Text: "Ok."}})
		model.Summary = test.summary
		askIn(t, chat(model, nil), talked(12, 6000), "And now?")
		text := model.Requests()[0].Messages[1].Text + "\n"
		if !strings.Contains(said(model.Requests()[0].Messages), test.want) || strings.Contains(text, "Hm") || len(text) > 20_000 {
			t.Errorf("%s: the model gets %.300q", name, text)
		}
	}
}

// crashing is a model that panics when it is asked for anything but an answer.
type crashing struct{ *providertest.Script }

func (c crashing) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	if req.Purpose == provider.ForAnswer {
		return c.Script.Chat(ctx, req)
	}
	return func(func(provider.Chunk, error) bool) { panic("a fault") }
}

func TestAModelThatCrashesOverASummaryOrASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := small(reply{calls("read_user")}, reply{{Text: "Ok."}})
		c := chat(model, toolbox{{"read_user", takes(5*time.Second, "Ada")}})
		c.Model = crashing{model}
		_, ended := tellAs(t, status.StyleSentence, c.Send(t.Context(), talked(12, 6000), "And now?"), nil)
		if ended.Result.Answer != "Ok." {
			t.Errorf("the turn ended as %+v", ended.Result.Stop)
		}
	})
}

// A server that says of everything that it is too long is asked only so often.
func TestAServerForWhichAllIsTooLong(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input is too long"}
	for name, conv := range map[string]provider.Conversation{"a question": {}, "a long talk": talked(30, 4000)} {
		model := small(reply{{Err: tooLong}})
		model.Forever, model.Summary = true, reply{{Text: "They talked."}}
		_, ended := askIn(t, chat(model, toolbox{{"read_file", says("42")}}), conv, "And now?")
		if n := len(model.Requests()) + len(model.SummaryRequests()); n > 10 || ended.Result.Stop.Reason != provider.Failed {
			t.Errorf("%s: after %d requests the turn ended as %+v", name, n, ended.Result.Stop)
		}
		for _, r := range model.Requests() {
			if r.Messages[0].Role != provider.RoleSystem || last(r.Messages).Text != "And now?" || len(r.Tools) != 1 {
				t.Errorf("%s: a request ends with %+v", name, last(r.Messages))
			}
		}
	}
}

// After a turn that was stopped, the person's question is what the work is about, not the words that resume it.
func TestTheQuestionOfAResumedTurnStays(t *testing.T) {
	conv := talked(3, 4000).With(user("The task"))
	for i := range 4 {
		id := fmt.Sprintf("r%d", i)
		conv = conv.With(provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("w", 5000), Calls: []provider.Call{{ID: id, Name: "box__read_file", Arguments: []byte(`{}`)}}},
			provider.Message{Role: provider.RoleTool, CallID: id, Tool: "box__read_file", Text: "read"})
	}
	conv = conv.With(provider.Message{Role: provider.RoleAssistant, Text: "So far.", Partial: true})
	model := small(reply{{Text: "Ok."}})
	model.Summary = reply{{Text: "They talked."}}
	tell(t, chat(model, nil).Resume(t.Context(), conv), nil)
	if text := said(model.Requests()[0].Messages); !strings.Contains(text, "user: The task\n") || !strings.Contains(text, "user: Go on") {
		t.Errorf("the model gets\n%.3000s", text)
	}
}

// When a later summary fails, what the one before it said is not lost.
func TestASummaryThatFailsKeepsTheOneBefore(t *testing.T) {
	model := small(reply{{Text: "Ok."}})
	conv := talked(6, 3000).With(provider.Message{Role: provider.RoleSummary, Text: "The code is 1234.", Covers: &provider.Span{From: 0, Until: 20}})
	for i := range 8 {
		conv = conv.With(user(fmt.Sprintf("Later %d", i)), provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("a", 4000)})
	}
	askIn(t, chat(model, nil), conv, "And now?")
	if text := said(model.Requests()[0].Messages); !strings.Contains(text, "The code is 1234.\n\nEarlier in this conversation the person asked:") {
		t.Errorf("the model gets\n%.2000s", text)
	}
}
