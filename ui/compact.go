package ui

import (
	"cmp"
	"context"
	"errors"
	"iter"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// compact is /compact: it makes room in the context by a summary of older messages, which stay in the conversation for people to read.
func compact(m *model, arg string) tea.Cmd {
	switch {
	case arg == "undo":
		return expand(m)
	case arg != "":
		return reply(screen.Flash{Text: "Say /compact or /compact undo"})
	case m.talk.busy():
		return nil
	case m.talk.conv.Len() == 0:
		return reply(screen.Flash{Text: "There is nothing to compact yet"})
	case !m.choice.ready():
		return reply(screen.Flash{Text: "There is no model to ask yet"})
	}
	return m.begin(m.talk.compact(m.ctx))
}

// expand is /compact undo.
func expand(m *model) tea.Cmd {
	if _, ok := m.talk.conv.Summary(); !ok {
		return reply(screen.Flash{Text: "Nothing is compacted"})
	}
	m.footer.used = 0 // not known until the model has read it
	if err := m.talk.expand(); err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	m.notice(transcript.Info, transcript.Expanded)
	return nil
}

// compact begins to summarise older messages. That is no turn of the conversation: one that was stopped before can still go on after it.
func (t *talk) compact(ctx context.Context) tea.Cmd {
	chat, conv, stopped := t.chat, t.conv, t.stopped
	wait := t.begin(ctx, func(ctx context.Context) iter.Seq2[provider.Event, error] { return chat.Compact(ctx, conv) })
	t.stopped, t.compacting = stopped, true
	return wait
}

// expand lets the model read again what was compacted.
func (t *talk) expand() error {
	undo := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{}}
	t.conv = t.conv.With(undo)
	return t.recorder.Record(provider.Appended{Messages: []provider.Message{undo}})
}

// compactFarewell is farewell for a conversation that was to be compacted.
func compactFarewell(ev provider.Ended) []noticeMsg {
	switch stop := ev.Result.Stop; stop.Reason {
	case provider.Done:
		return nil
	case provider.Cancelled:
		return []noticeMsg{{transcript.Info, "Compacting was stopped; the conversation is as it was."}}
	}
	err := provider.Error{Text: cmp.Or(ev.Result.Stop.Detail, "the turn failed"), Err: ev.Err}
	if known, ok := errors.AsType[*provider.Error](ev.Err); ok {
		err = *known
	} else if ev.Err != nil {
		err.Text = ev.Err.Error()
	}
	err.Text = "compacting failed: " + err.Text
	return []noticeMsg{{transcript.Error, sentence(&err)}}
}
