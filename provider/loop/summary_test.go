package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// A request with another context makes the server reload the model.
func TestSummaryUsesContextOfTurn(t *testing.T) {
	for name, test := range map[string]struct{ trained, fixed, want int }{
		"large": {32768, 0, 16384}, "fixed": {32768, 16384, 16384}, "tiny": {4096, 0, 4096},
	} {
		model := trained(test.trained, replies{{{Text: "Ok."}}})
		model.Summary = reply{{Text: "They talked."}}
		c := chat(model, nil)
		c.Context = test.fixed
		askIn(t, c, talked(40, 6000), "And now?")
		summary, turn := model.SummaryRequests()[0].Context, model.Requests()[0].Context
		if summary != test.want || turn != test.want {
			t.Errorf("%s: the context of the summary is %d, that of the turn %d, not %d", name, summary, turn, test.want)
		}
	}
}

// The request for a summary fits even if the model wrote long arguments. They remain objects and are not changed in the
// conversation.
func TestSummaryRequestTruncatesArguments(t *testing.T) {
	var conv provider.Conversation
	long := fmt.Sprintf(`{"path":"a.txt","text":%q}`, strings.Repeat("word ", 4000))
	for i := range 6 {
		id := fmt.Sprintf("call_%d", i)
		conv = conv.With(user("Write"), toolCall(id, "do_write", long),
			toolResult(id, "do_write", "written"), assistant("Done."))
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
		t.Errorf("the request has %d bytes", size)
	}
}

// A server that never finishes a summary cannot block the turn while its clock is paused.
func TestSummaryHasTimeLimit(t *testing.T) {
	slow := make(reply, 1000)
	for i := range slow {
		slow[i] = step{Wait: 30 * time.Second, Text: "word "}
	}
	for name, summary := range map[string]reply{"silent": {{Text: "They"}, {Block: true}}, "slow": slow} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := small(reply{{Text: "Ok."}})
				model.Summary = summary
				_, ended := askIn(t, chat(model, nil), talked(12, 6000), "And now?")
				endsAs(t, ended, event.Done, "Ok.")
				hasAll(t, said(model.Requests()[0].Messages), "the user asked:\n- Question ")
				if ms := ended.Result.Timing.Total; ms > 600_000 {
					t.Errorf("the turn took %d ms", ms)
				}
			})
		})
	}
}

func TestSummaryIsRepairedAndBounded(t *testing.T) {
	talk := make(reply, 4000)
	for i := range talk {
		talk[i] = step{Text: "They talked. "}
	}
	for name, test := range map[string]struct {
		summary reply
		want    string
	}{
		"thinking":      {reply{{Text: "Hm?\n</think>\n\nThey"}, {Text: " talked."}}, "short:\nThey talked.\n"},
		"only thinking": {reply{{Text: "Hm, what was it?\n</think>"}}, "the user asked:"},
		"endless":       {talk, "They talked. "},
	} {
		model := small(reply{{Text: "Ok."}})
		model.Summary = test.summary
		askIn(t, chat(model, nil), talked(12, 6000), "And now?")
		text := model.Requests()[0].Messages[1].Text + "\n"
		hasAll(t, text, test.want)
		if strings.Contains(text, "Hm") || len(text) > 20_000 {
			t.Errorf("%s: the model gets %.300q", name, text)
		}
	}
}

func TestPanicInSummaryOrSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := small(reply{calls("read_user")}, reply{{Text: "Ok."}})
		c := chat(model, toolbox{{"read_user", takes(5*time.Second, "Ada")}})
		model.Refuse = func(r provider.Request) error {
			if r.Purpose != provider.ForAnswer {
				panic("a fault")
			}
			return nil
		}
		_, ended := tellAs(t, status.StyleSentence, c.Send(t.Context(), talked(12, 6000), "And now?"), nil)
		endsAs(t, ended, event.Done, "Ok.")
	})
}

// The question of a resumed turn stays in the conversation, not only the message that resumes it.
func TestQuestionOfResumedTurnStays(t *testing.T) {
	conv := talked(3, 4000).With(user("The task"))
	for i := range 4 {
		id := fmt.Sprintf("r%d", i)
		conv = conv.With(assistant(strings.Repeat("w", 5000)),
			toolCall(id, "read_file", "{}"), toolResult(id, "read_file", "read"))
	}
	model := small(reply{{Text: "Ok."}})
	model.Summary = reply{{Text: "They talked."}}
	tell(t, chat(model, nil).SendAll(t.Context(), conv.With(assistant("So far."))), nil)
	hasAll(t, said(model.Requests()[0].Messages), "user: The task\n", "user: Go on")
}

func TestFailedSummaryKeepsThePreviousOne(t *testing.T) {
	model := small(reply{{Text: "Ok."}})
	conv := talked(6, 3000).With(summary("The code is 1234.", 0, 20))
	for i := range 8 {
		conv = conv.With(user(fmt.Sprintf("Later %d", i)), assistant(strings.Repeat("a", 4000)))
	}
	askIn(t, chat(model, nil), conv, "And now?")
	hasAll(t, said(model.Requests()[0].Messages), "The code is 1234.\n\nEarlier in this conversation the user asked:")
}

// The receipt adds up what all requests read and wrote, also the one for the summary.
func TestSummaryIsMeasured(t *testing.T) {
	model := small(reply{{Text: "Ok."}, measured(900, 5, 2*time.Second, time.Second)})
	model.Summary = reply{{Text: "They want the answer."}, measured(5000, 7, 3*time.Second, time.Second)}
	_, ended := askIn(t, chat(model, nil), talked(12, 6000), "And now?")
	if n := len(model.SummaryRequests()); n != 1 {
		t.Fatalf("the model was asked for %d summaries", n)
	}
	if got := status.Receipt(ended.Result); !strings.Contains(got, "read up to 5.9k tok 5s · 12 tok at 6/s") {
		t.Errorf("the receipt is %q", got)
	}
}

// What you left out of the conversation is not sent for a summary either.
func TestSummaryRequestHasNoLeftOutAttachment(t *testing.T) {
	ask := user("Look?")
	ask.Attached = []provider.Attachment{{URI: "a", Text: "content of a"}, {URI: "b", Text: "content of b"}}
	drop := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{Until: 1}, Drops: "@a"}
	conv := provider.Conversation{}.With(ask).With(talked(6, 400).Messages()[1:]...).With(drop)
	model := small()
	model.Summary = reply{{Text: "They talked."}}
	tell(t, chat(model, nil).Compact(t.Context(), conv), nil)
	asked := said(model.SummaryRequests()[0].Messages)
	if strings.Contains(asked, "content of a") || !strings.Contains(asked, "content of b") {
		t.Errorf("the request for the summary has %.600q", asked)
	}
}
