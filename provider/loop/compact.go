package loop

import (
	"cmp"
	"context"
	"slices"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

const (
	fullAt      = 0.8  // of the context: compact from here
	tightAt     = 0.65 // of the context: compact from here if little room is left for a result
	smallRoom   = 512  // tokens for the next result that count as little room
	roomyAt     = 0.6  // of the context: a compaction that leaves less is enough
	summarySize = 600  // tokens of a summary, about
	worthwhile  = 0.9  // of the size before: a compaction that leaves more is not worth the loss
)

// waysToCompact returns possible summaries, those with the least loss first. Some only drop tool results. The text of
// the others is still to be written. None covers the system prompt, the tools or the last question.
func waysToCompact(messages []provider.Message) (ways []provider.Message) {
	add := func(from, until int, text string) {
		if from < until {
			span := &provider.Span{From: from, Until: until}
			ways = append(ways, provider.Message{Role: provider.RoleSummary, Covers: span, Text: text})
		}
	}
	questions := questionsOf(messages)
	n := len(questions)
	if n == 0 {
		return nil
	}
	last := questions[n-1]
	if n > 4 { // the first turn has the topic, the last three the current work
		add(questions[1], questions[n-3], "")
		add(questions[1], questions[n-3], toWrite)
	}
	add(0, last, "")
	add(0, last, toWrite)
	add(0, lastRound(messages), "")
	return ways
}

// toWrite represents the text of a summary that is still to be written.
const toWrite = "…"

// questionsOf returns the indices of messages that began a turn, except resumed ones.
func questionsOf(messages []provider.Message) []int {
	var at []int
	for i, m := range messages {
		if m.IsQuestion() {
			at = append(at, i)
		}
	}
	return at
}

// lastRound returns the index at which the last round of calls begins. The model has not read its results yet.
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

// makeRoom shortens the conversation if the next request would nearly fill the largest possible context. Only the
// server knows whether that is enough, since an estimate may be many times too high. The error is that of ctx.
func (t *turn) makeRoom(ctx context.Context) error {
	limit := t.known.limit()
	full, tight := int(fullAt*float64(limit)), int(tightAt*float64(limit))
	if t.need() <= min(full, max(tight, limit-reserve-smallRoom)) {
		return nil
	}
	_, err := t.compact(ctx, waysToCompact(t.history.messages), t.roomy(), func() {})
	return err
}

// roomy returns how many tokens leave enough room.
func (t *turn) roomy() int { return int(roomyAt * float64(t.known.limit())) }

// Compact shortens the conversation for the model. Events come as from Send, and Ended has the conversation with its
// summary. Nothing is removed: a summary with an empty Span undoes it.
func (c Chat) Compact(ctx context.Context, conv provider.Conversation) event.Events {
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		if err := t.prepare(ctx, t.loadedContext(ctx)); err != nil {
			return t.interrupted(ctx, err)
		}
		t.offer() // the next request has the tools too
		ways := waysToCompact(t.history.messages)
		// summaries first: the aim is a short conversation
		slices.SortStableFunc(ways, func(a, b provider.Message) int { return cmp.Compare(len(b.Text), len(a.Text)) })
		done, err := t.compact(ctx, ways, t.need(), func() {})
		switch {
		case err != nil:
			return t.interrupted(ctx, err)
		case !done:
			t.notice("Nothing to compact: a summary would save almost nothing")
		}
		return stopped(event.Stop{Reason: event.Done})
	})
}

// compact applies the first of the ways that leaves at most enough tokens, or else the one that leaves least. It calls
// before first. done is false if no way makes the request smaller. The error is that of ctx.
func (t *turn) compact(ctx context.Context, ways []provider.Message, enough int, before func()) (done bool, err error) {
	was := t.need()
	// the count of the last prompt does not hold for a shorter one
	least := int(worthwhile * float64(t.known.scaled(provider.Estimate(t.toSend(), t.tools.specs))))
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
	t.repeats = nil // the model may no longer see the results
	t.emit(event.Compacted{Messages: best.Covers.Until - best.Covers.From, Before: was, After: t.need()})
	return true, nil
}

// summaryRoom returns how many tokens a summary may take.
func (t *turn) summaryRoom() int { return min(t.known.scaled(summarySize), t.known.limit()/10) }
