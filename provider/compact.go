package provider

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/aloudchat/aloud/provider/window"
)

const (
	fullAt      = 0.8  // of the context: from here on older messages make room
	tightAt     = 0.65 // of the context: from here on they do where little is left for a result
	smallRoom   = 512  // tokens left for the next result: to keep older ones is not worth having so little of it
	roomyAt     = 0.6  // of the context: with this much taken there is room again
	summarySize = 600  // tokens that a summary takes, about
	worthwhile  = 0.9  // of the size before: a way that leaves more is not worth what it loses
)

// compaction is what the summaries of a conversation come to: which messages the model reads in short, and which without what their tools gave.
type compaction struct {
	covered Span
	text    string
	bare    Span
}

// compactionOf follows the summaries of a conversation. Each replaces the one of its kind before; one that covers nothing undoes all.
// One of which nothing is left that it covers, as at the beginning of a conversation that was cut, still says what it says in its own place.
func compactionOf(messages []Message) compaction {
	var c compaction
	for i, m := range messages {
		if m.Role != RoleSummary || m.Covers == nil {
			continue
		}
		switch span := m.Covers.before(i); {
		case m.Covers.Until <= m.Covers.From:
			c = compaction{}
		case m.Text == "":
			c.bare = span
		default:
			c.covered, c.text = span, m.Text
		}
	}
	return c
}

// before is what the span holds of the messages before i, or else i itself.
func (s Span) before(i int) Span {
	if s = (Span{max(s.From, 0), min(s.Until, i)}); s.Until <= s.From {
		return Span{i, i + 1}
	}
	return s
}

func (s Span) holds(i int) bool { return s.From <= i && i < s.Until }

// waysToCompact are the ways to make room, those first with which least is lost: summaries that only leave out the results of tools, or whose
// text is still to be written. The system prompt, the tools and the last question are never part of what goes.
func waysToCompact(messages []Message) (ways []Message) {
	add := func(from, until int, text string) {
		if from < until {
			ways = append(ways, Message{Role: RoleSummary, Covers: &Span{from, until}, Text: text})
		}
	}
	questions := questionsOf(messages)
	n := len(questions)
	if n == 0 {
		return nil
	}
	last := questions[n-1]
	if n > 4 { // the first turn says what it is all about, the last three what is going on
		add(questions[1], questions[n-3], "")
		add(questions[1], questions[n-3], toWrite)
	}
	add(0, last, "")
	add(0, last, toWrite)
	add(0, lastRound(messages), "")
	return ways
}

// toWrite stands for the text of a summary that is still to be written.
const toWrite = "…"

// questionsOf are the places where turns begin that were not only resumed.
func questionsOf(messages []Message) []int {
	var at []int
	for i, m := range messages {
		if m.Role == RoleUser && !m.GoesOn() {
			at = append(at, i)
		}
	}
	return at
}

// lastRound is where the last round of calls begins: its results have not been read yet.
func lastRound(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		switch {
		case m.Role == RoleUser:
			return i
		case len(m.Calls) > 0:
			return i
		}
	}
	return 0
}

// makeRoom compacts the conversation when the next request would nearly fill the largest context there can be. It is the first step of a round.
func (t *turn) makeRoom(ctx context.Context) error {
	if t.need() <= fullFrom(t.known.limit()) {
		return nil
	}
	_, err := t.compact(ctx, waysToCompact(t.history.messages), t.roomy(), func() {})
	return err
}

// roomy is how many tokens leave room again.
func (t *turn) roomy() int { return int(roomyAt * float64(t.known.limit())) }

// fullFrom is how many tokens are too many in a context of limit tokens.
func fullFrom(limit int) int {
	full, tight := int(fullAt*float64(limit)), int(tightAt*float64(limit))
	return min(full, max(tight, limit-window.Reserve-smallRoom))
}

// Compact makes the conversation shorter for the model, without a question: events come as from Send, and Ended has the conversation with its
// summary. Nothing of it is removed: a message with an empty Span undoes it.
func (c *Chat) Compact(ctx context.Context, conv Conversation) iter.Seq2[Event, error] {
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		if err := t.prepare(ctx); err != nil {
			return t.interrupted(ctx, err)
		}
		ways := waysToCompact(t.history.messages)
		slices.SortStableFunc(ways, func(a, b Message) int { return cmp.Compare(len(b.Text), len(a.Text)) }) // summaries first: it is to be short
		done, err := t.compact(ctx, ways, t.need(), func() {})
		switch {
		case err != nil:
			return t.interrupted(ctx, err)
		case !done:
			t.notice("There is nothing to compact: a summary would save next to nothing.")
		}
		return ending{Stop: Stop{Reason: Done}}
	})
}

// compact goes the first of the ways that leaves at most enough tokens, or the one that leaves least. done is false when none makes the request
// smaller. before is called when one does. The error is ctx's.
func (t *turn) compact(ctx context.Context, ways []Message, enough int, before func()) (done bool, err error) {
	was := t.need()
	least := int(worthwhile * float64(was))
	var best Message
	for _, m := range ways {
		after := t.known.scaled(estimate(t.history.with(t.systemPrompt(), m), t.tools.specs))
		if m.Text != "" {
			after += t.summaryRoom()
		}
		if after < least {
			best, least, done = m, after, true
		}
		if done && least <= enough {
			break
		}
	}
	if !done {
		return false, nil
	}
	before()
	if best.Text != "" {
		if best.Text, err = t.summarise(ctx, best.Covers.Until); err != nil {
			return false, err
		}
	}
	t.append(best)
	t.repeats = nil // the model may not have the results in front of it any more
	t.emit(Compacted{Messages: best.Covers.Until - best.Covers.From, Before: was, After: t.need()})
	return true, nil
}

// summaryRoom is how many tokens a summary may take, about: less where the context is small.
func (t *turn) summaryRoom() int { return min(t.known.scaled(summarySize), t.known.limit()/10) }
