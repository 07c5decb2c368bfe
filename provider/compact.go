package provider

import (
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

// way is one way to make room: a span that the model reads in short, or of which only the results of tools go.
type way struct {
	Span
	tools bool
}

// summariesFirst is the order of ways for a person who wants the conversation short.
func summariesFirst(a, b way) int {
	switch {
	case a.tools == b.tools:
		return 0
	case b.tools:
		return -1
	}
	return 1
}

// waysToCompact are the ways to make room, those first with which least is lost. The system prompt, the tools and the last question are never
// part of what goes.
func waysToCompact(messages []Message) (ways []way) {
	add := func(from, until int, tools bool) {
		if from < until {
			ways = append(ways, way{Span{from, until}, tools})
		}
	}
	questions := questionsOf(messages)
	n := len(questions)
	if n == 0 {
		return nil
	}
	last := questions[n-1]
	if n > 4 { // the first turn says what it is all about, the last three what is going on
		add(questions[1], questions[n-3], true)
		add(questions[1], questions[n-3], false)
	}
	add(0, last, true)
	add(0, last, false)
	add(0, lastRound(messages), true)
	return ways
}

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
	summary, found := t.shorter(waysToCompact(t.history.messages), int(roomyAt*float64(t.known.limit())))
	if !found {
		return nil
	}
	return t.compact(ctx, summary)
}

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
		slices.SortStableFunc(ways, summariesFirst)
		summary, found := t.shorter(ways, t.need())
		if !found {
			t.notice("There is nothing to compact: a summary would save next to nothing.")
		} else if err := t.compact(ctx, summary); err != nil {
			return t.interrupted(ctx, err)
		}
		return ending{Stop: Stop{Reason: Done}}
	})
}

// shorter finds the first of the ways that leaves at most enough tokens, or the one that leaves least, as the message that goes it. The text of a
// summary is still to be written. found tells whether there is one that makes the request smaller.
func (t *turn) shorter(ways []way, enough int) (best Message, found bool) {
	least := int(worthwhile * float64(t.need()))
	for _, w := range ways {
		m := Message{Role: RoleSummary, Covers: &Span{w.From, w.Until}}
		if !w.tools {
			m.Text = "…"
		}
		after := t.needWith(m)
		if !w.tools {
			after += t.summaryRoom()
		}
		if after < least {
			best, least, found = m, after, true
		}
		if found && least <= enough {
			break
		}
	}
	return best, found
}

// summaryRoom is how many tokens a summary may take, about: less where the context is small.
func (t *turn) summaryRoom() int { return min(t.known.scaled(summarySize), t.known.limit()/10) }

// compact makes the conversation shorter by a summary that shorter found. The error is ctx's.
func (t *turn) compact(ctx context.Context, summary Message) error {
	before := t.need()
	if summary.Text != "" {
		text, err := t.summarise(ctx, summary.Covers.Until)
		if err != nil {
			return err
		}
		summary.Text = text
	}
	t.append(summary)
	t.repeats = nil // the model may not have the results in front of it any more
	t.emit(Compacted{Messages: summary.Covers.Until - summary.Covers.From, Before: before, After: t.need()})
	return nil
}
