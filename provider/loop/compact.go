package loop

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

const (
	fullAt      = 0.8  // of the context: from here on older messages make room
	tightAt     = 0.65 // of the context: from here on they do where little is left for a result
	smallRoom   = 512  // tokens left for the next result: to keep older ones is not worth having so little of it
	roomyAt     = 0.6  // of the context: with this much taken there is room again
	summarySize = 600  // tokens that a summary takes, about
	worthwhile  = 0.9  // of the size before: a way that leaves more is not worth what it loses
)

// waysToCompact are the ways to make room, those first with which least is lost: summaries that only leave out the results of tools, or whose
// text is still to be written. The system prompt, the tools and the last question are never part of what goes.
func waysToCompact(messages []provider.Message) (ways []provider.Message) {
	add := func(from, until int, text string) {
		if from < until {
			ways = append(ways, provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{From: from, Until: until}, Text: text})
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
func questionsOf(messages []provider.Message) []int {
	var at []int
	for i, m := range messages {
		if m.Role == provider.RoleUser && !m.GoesOn() {
			at = append(at, i)
		}
	}
	return at
}

// lastRound is where the last round of calls begins: its results have not been read yet.
func lastRound(messages []provider.Message) int {
	for i, m := range slices.Backward(messages) {
		switch {
		case m.Role == provider.RoleUser:
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
	return min(full, max(tight, limit-reserve-smallRoom))
}

// Compact makes the conversation shorter for the model, without a question: events come as from Send, and Ended has the conversation with its
// summary. Nothing of it is removed: a message with an empty Span undoes it.
func (c *Chat) Compact(ctx context.Context, conv provider.Conversation) iter.Seq2[provider.Event, error] {
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		if err := t.prepare(ctx); err != nil {
			return t.interrupted(ctx, err)
		}
		ways := waysToCompact(t.history.messages)
		slices.SortStableFunc(ways, func(a, b provider.Message) int { return cmp.Compare(len(b.Text), len(a.Text)) }) // summaries first: it is to be short
		done, err := t.compact(ctx, ways, t.need(), func() {})
		switch {
		case err != nil:
			return t.interrupted(ctx, err)
		case !done:
			t.notice("There is nothing to compact: a summary would save next to nothing.")
		}
		return ending{Stop: provider.Stop{Reason: provider.Done}}
	})
}

// compact goes the first of the ways that leaves at most enough tokens, or the one that leaves least. done is false when none makes the request
// smaller. before is called when one does. The error is ctx's.
func (t *turn) compact(ctx context.Context, ways []provider.Message, enough int, before func()) (done bool, err error) {
	was := t.need()
	least := int(worthwhile * float64(was))
	var best provider.Message
	for _, m := range ways {
		after := t.known.scaled(provider.Estimate(t.history.with(t.systemPrompt(), m), t.tools.specs))
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
	t.emit(provider.Compacted{Messages: best.Covers.Until - best.Covers.From, Before: was, After: t.need()})
	return true, nil
}

// summaryRoom is how many tokens a summary may take, about: less where the context is small.
func (t *turn) summaryRoom() int { return min(t.known.scaled(summarySize), t.known.limit()/10) }
