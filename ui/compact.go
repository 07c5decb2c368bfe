package ui

import (
	"cmp"
	"context"
	"errors"
	"iter"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/transcript"
)

// compact is /compact: it makes room in the context by a summary of older messages, which stay in the conversation for people to read.
func compact(m *model, arg string) tea.Cmd {
	if arg == "undo" {
		said, ok := m.talk.expand()
		if ok {
			m.footer.used = 0 // not known until the model has read it
		}
		return said
	}
	switch {
	case arg != "":
		return flash("Say /compact or /compact undo")
	case m.talk.conv.Len() == 0:
		return flash("There is nothing to compact yet")
	case !m.choice.ready():
		return flash("There is no model to ask yet")
	}
	return m.begin(m.talk.compact(m.ctx))
}

// compact begins to summarise older messages. That is no turn of the conversation: one that was stopped before can still go on after it.
func (t *talk) compact(ctx context.Context) tea.Cmd {
	chat, conv, stopped := t.chat, t.conv, t.stopped
	wait := t.begin(ctx, func(ctx context.Context) iter.Seq2[provider.Event, error] { return chat.Compact(ctx, conv) })
	t.stopped, t.compacting = stopped, true
	return wait
}

// expand is /compact undo: the model reads again what was compacted.
func (t *talk) expand() (said tea.Cmd, ok bool) {
	if _, ok := t.conv.Summary(); !ok {
		return flash("Nothing is compacted"), false
	}
	undo := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{}}
	t.conv = t.conv.With(undo)
	said = reply(noticeMsg{transcript.Info, transcript.Expanded})
	if err := t.recorder.Record(provider.Appended{Messages: []provider.Message{undo}}); err != nil {
		said = tea.Sequence(reply(dialog.Warning{Text: err.Error()}), said)
	}
	return said, true
}

// compacted says how compacting ended, unless it went well: then the summary says so.
func compacted(t *transcript.Transcript, ev provider.Ended) {
	switch ev.Result.Stop.Reason {
	case provider.Done:
		return
	case provider.Cancelled:
		t.Notice(transcript.Info, "Compacting was stopped; the conversation is as it was.")
		return
	}
	err := cmp.Or(ev.Err, errors.New(cmp.Or(ev.Result.Stop.Detail, "the turn failed")))
	t.Notice(transcript.Error, "Compacting failed. "+dialog.Sentence(err))
}
