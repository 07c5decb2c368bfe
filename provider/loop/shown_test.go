package loop_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
)

// endless is a reply that never stops thinking.
func endless(pieces int) reply {
	reply := make(reply, pieces)
	for i := range reply {
		reply[i] = step{Thinking: "Wait. "}
	}
	return reply
}

// shown is a reply that takes several requests and shows text in all of them.
type shown struct {
	replies replies
	before  provider.Conversation
	prepare func(c *loop.Chat)
	keeps   string // the last message
}

func shownTurns() map[string]shown {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input is too long"}
	printed := `{"name":"box__read_file","arguments":{}}`
	swallowed := reply{{Thinking: "Hm. "}, {Done: "stop", Usage: provider.Usage{AnswerTokens: 30}}}
	fixed := func(c *loop.Chat) { c.Context = 8192 }
	brief := func(c *loop.Chat) { c.Limits.ThinkingTokens = 3 }
	gone := &provider.Error{Kind: provider.KindBroken, Text: "gone", Err: context.DeadlineExceeded}
	hm, half, whole := step{Thinking: "Hm. "}, reply{{Text: "Half"}, {Cut: true}}, reply{{Text: "Whole."}}
	stray, talk := reply{{Text: "Well"}, {Text: "\n</think>\n\nWhole."}}, talked(6, 400)
	return map[string]shown{
		"a retry": {
			replies: replies{{hm, {Text: "Half"}, {Cut: true}}, {{Thinking: "So. "}, {Text: "Whole."}}}, keeps: "(So. ) Whole."},
		"an empty answer, then one that breaks off": {replies: replies{{hm}, half, whole}, keeps: " Whole."},
		"an empty answer, then a lost connection":   {replies: replies{{hm}, {{Err: gone}}, whole}, keeps: "(Hm. ) Whole."},
		"a call that was dropped, then a break": {
			replies: replies{swallowed, {{Thinking: "So. "}, {Cut: true}}, whole}, keeps: " Whole."},
		"a call that was dropped, then thinking that looks like text": {
			replies: replies{swallowed, stray}, keeps: "(Hm. Well\n) Whole."},
		"endless thinking and a stray tag": {
			replies: replies{endless(9), stray}, prepare: brief, keeps: "(Wait. Wait. Wait. Wait. Well\n) Whole."},
		"endless thinking after the beginning of a call": {
			replies: replies{append(reply{{Text: `{"name":`}}, endless(9)...), whole}, prepare: brief,
			keeps: "(Wait. Wait. Wait. Wait. ) Whole."},
		"a full context in the middle": {
			replies: replies{{hm, {Text: "Half"}, {Err: tooLong}}, whole}, before: talk, prepare: fixed, keeps: "(Hm. ) Half"},
		"an empty answer, then too long": {
			replies: replies{{hm}, {{Err: tooLong}}, whole}, before: talk, prepare: fixed, keeps: " Whole."},
		"a printed call, cut off": {
			replies: replies{{{Text: printed[:20]}, {Cut: true}}, {{Text: printed}}, {hm}, whole}, keeps: "(Hm. ) Whole."},
		"an answer that breaks off after an empty one": {
			replies: replies{{{Text: "I look."}, calls("read_file")}, {}, {{Text: "Whole."}, {Err: errors.New("boom")}}},
			keeps:   " Whole."},
		"tools of all kinds": {
			replies: replies{
				{{Phase: provider.PhaseLoading}, {Phase: provider.PhaseReading}, hm, calls("read_slow", "read_fast")},
				{{Text: "And then."}, calls("do_it", "do_more")}, {{Text: "That "}, {Text: "is it."}}},
			prepare: func(c *loop.Chat) {
				c.Tools = toolbox{
					{"read_slow", takes(time.Minute, "")}, {"read_fast", says("")}, {"do_it", says("")}, {"do_more", says("")},
				}
				c.Policy = nil
			},
			keeps: " That is it."},
		"only a marker": {replies: replies{{{Text: "[cannot]"}}}, keeps: ""},
		"all at once": {
			before: talked(12, 6000), keeps: "(Hm. ) Whole.",
			replies: replies{{{Text: printed[:20]}, {Cut: true}}, {{Text: printed}}, swallowed, whole}},
	}
}

func (s shown) chat() *loop.Chat {
	model := small(s.replies...)
	model.Summary = reply{{Text: "They talked."}}
	c := chat(model, toolbox{{"read_file", says("42")}})
	if s.prepare != nil {
		s.prepare(c)
	}
	return c
}

// The screen shows the text that the conversation keeps, once a reply has ended.
func TestShownTextIsKept(t *testing.T) {
	for name, s := range shownTurns() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var end event.Ended
				watch(t, s.chat().Send(t.Context(), s.before, "Go"), func(_ int, e event.Event) {
					if ended, ok := e.(event.Ended); ok {
						end = ended
					}
				})
				all := strings.TrimSpace(written(end.Conversation))
				_, kept, _ := strings.Cut(all[strings.LastIndex(all, "\nassistant"):], ":")
				if strings.TrimSpace(kept) != strings.TrimSpace(s.keeps) {
					t.Errorf("%q is kept, not %q, after %+v", kept, s.keeps, end.Result.Stop)
				}
			})
		})
	}
}

// If such a turn is cancelled at any moment, the shown text is kept or withdrawn, and every call has a result.
func TestCancelAtEveryEvent(t *testing.T) {
	for name, s := range shownTurns() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for moment := 1; ; moment++ {
					ctx, cancel := context.WithCancel(t.Context())
					seen, reason := watch(t, s.chat().Send(ctx, s.before, "Go"), func(n int, _ event.Event) {
						if n == moment {
							cancel()
						}
					})
					cancel()
					if seen < moment {
						return
					}
					over := seen-moment <= 3 // the answer was shown and appended
					if reason != event.Cancelled && !over {
						t.Errorf("cancelled at event %d of %d the turn ended as %q", moment, seen, reason)
					}
				}
			})
		})
	}
}

// A slow reader, such as a pager, does not count as silence of the model.
func TestSlowReaderIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		words := make(reply, 40)
		for i := range words {
			words[i] = step{Text: "word "}
		}
		c := chat(script(replies{words}), nil)
		c.Interactive, c.Limits.TotalTime = false, time.Hour
		waited := false
		for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			if _, ok := ev.(event.Text); ok && !waited {
				waited = true
				time.Sleep(2 * time.Minute)
			}
		}
	})
}

// leave runs a turn and leaves the loop at an event, or panics there.
func leave(turn iter.Seq2[event.Event, error], moment int, panics bool) (left bool) {
	const gone = "the screen is gone"
	defer func() {
		if p := recover(); p != nil && p != gone {
			panic(p)
		}
	}()
	seen := 0
	for _, err := range turn {
		if err != nil {
			return left // it is the last event
		}
		if seen++; seen == moment {
			left = true
			if panics {
				panic(gone)
			}
			break
		}
	}
	return left
}

// Nothing of the turn may run after its reader has left: a synctest bubble ends with its last goroutine.
func TestLeaveAtEveryEvent(t *testing.T) {
	for name, s := range shownTurns() {
		for _, panics := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				for moment, left := 1, true; left; moment++ {
					synctest.Test(t, func(t *testing.T) { left = leave(s.chat().Send(t.Context(), s.before, "Go"), moment, panics) })
				}
			})
		}
	}
}
