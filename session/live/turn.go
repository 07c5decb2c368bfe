package live

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// Send begins a turn with your message, or with the messages of a prompt. Its events are recorded and observed as they
// are pulled, which must be one at a time and may be on another goroutine. The last one is always Ended. Cancelling ctx
// ends the turn and keeps what there is.
func (c *Chat) Send(ctx context.Context, messages ...provider.Message) event.Events {
	return c.turn(ctx, c.parts.Chat.SendAll(ctx, c.parts.Conversation, messages...), true)
}

// Resume begins a turn that continues the stopped one, with fresh limits.
func (c *Chat) Resume(ctx context.Context) event.Events {
	return c.Send(ctx)
}

// Compact begins to summarise older messages. This is not a turn: one that was stopped before can still be continued.
func (c *Chat) Compact(ctx context.Context) event.Events {
	return c.turn(ctx, c.parts.Chat.Compact(ctx, c.parts.Conversation), false)
}

// turn records, observes and passes on the events of a turn, or of a summary, which answers nothing. The conversation
// is up to date after each event, because the program may fail before Ended.
func (c *Chat) turn(ctx context.Context, events event.Events, answers bool) event.Events {
	c.begun, c.stopped = true, c.stopped || answers
	fork := c.beginBranch()
	return func(yield func(event.Event, error) bool) {
		if err := fork(); err != nil && !yield(notice(err), nil) {
			return
		}
		for ev, failed := range events {
			if err := c.parts.Recorder.Record(ev); err != nil && !yield(notice(err), nil) {
				return
			}
			c.observer.Observe(ctx, ev)
			switch ev := ev.(type) {
			case event.Appended:
				c.keep(c.parts.Conversation.With(ev.Messages...))
			case event.Ended:
				c.keep(ev.Conversation)
				if answers {
					c.stopped = canGoOn(ev.Result.Stop)
					c.turns = append(c.turns, session.TurnOf(ev))
				}
			}
			if !yield(ev, failed) {
				return
			}
		}
	}
}

// notice returns an error of the recorder as a sentence.
func notice(err error) event.Notice {
	text := err.Error()
	return event.Notice{Text: strings.ToUpper(text[:1]) + text[1:] + "."}
}

// TakeBack removes the last question and everything after it, and returns its messages, to be sent again. It returns
// nil if there is none. The error is that of recording this.
func (c *Chat) TakeBack() (question []provider.Message, err error) {
	before, question := c.parts.Conversation.LastQuestion()
	if question == nil {
		return nil, nil
	}
	err = c.beginBranch()()
	b := &c.branches[c.current]
	b.Kept = min(b.Kept, before)
	later := c.parts.Conversation.Messages()[before:]
	c.parts.Conversation, c.turns = c.parts.Conversation.Until(before), session.Within(c.turns, before)
	err, question = cmp.Or(err, c.parts.Recorder.Rewind(before)), slices.Clone(question)
	for _, m := range provider.Drops(later, before+len(question)) { // what you left out stays out
		if m.Covers.From < before {
			err = cmp.Or(err, c.append(m))
			continue
		}
		again := &question[m.Covers.From-before]
		*again = again.Without(func(a provider.Attachment) bool { return a.Name() == m.Drops })
	}
	return question, err
}

// LeaveOut removes an attachment from what models read from the next turn on. It returns the message that says so in
// the conversation, and the error of recording it. It must not be called during a turn.
func (c *Chat) LeaveOut(a provider.PromptPart) (provider.Message, error) {
	span := &provider.Span{From: a.Message, Until: a.Message + 1}
	m := provider.Message{Role: provider.RoleSummary, Covers: span, Drops: a.Name}
	return m, c.append(m)
}

// append adds a message outside of a turn.
func (c *Chat) append(m provider.Message) error {
	err := c.beginBranch()()
	c.keep(c.parts.Conversation.With(m))
	return cmp.Or(err, c.parts.Recorder.Record(event.Appended{Messages: []provider.Message{m}}))
}

// Suspend stops the clocks of the running turn until resume is called, for a program about to be suspended. It may be
// called at any time.
func (c *Chat) Suspend() (resume func()) {
	run := c.shared.Suspend()
	return func() {
		run()
		c.observer.Refresh()
	}
}
