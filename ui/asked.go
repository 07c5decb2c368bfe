package ui

import (
	tea "charm.land/bubbletea/v2"
	"context"

	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/transcript"
)

type (
	// questionMsg is a question of a server.
	questionMsg struct{ question *desk.Question }
	// overMsg says that a question needs no answer any more.
	overMsg struct{ question *desk.Question }
	// toldMsg is what became of questions that nobody was asked.
	toldMsg struct{ texts []string }
)

// watchDesk is a command that waits for the next question of a server.
func watchDesk(ctx context.Context, d *desk.Desk) tea.Cmd {
	if d == nil {
		return nil
	}
	return func() tea.Msg {
		q, err := d.Next(ctx)
		if err != nil {
			return nil
		}
		return questionMsg{q}
	}
}

// watchNotices is a command that waits for what the desk has to tell.
func watchNotices(ctx context.Context, d *desk.Desk) tea.Cmd {
	if d == nil {
		return nil
	}
	return func() tea.Msg {
		texts, err := d.Told(ctx)
		if err != nil {
			return nil
		}
		return toldMsg{texts}
	}
}

// awaitOver is a command that waits until a question is answered or taken back.
func awaitOver(ctx context.Context, q *desk.Question) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-q.Over():
			return overMsg{q}
		case <-ctx.Done():
			return nil
		}
	}
}

// inquiry is a dialog about a question of a server.
type inquiry interface {
	dialog
	about() *desk.Question
}

// inquire opens the dialog for a question, behind those that are open already.
func (m *model) inquire(q *desk.Question) tea.Cmd {
	var d inquiry
	switch q.Kind {
	case desk.Form:
		d = newElicit(q)
	case desk.Page:
		d = newOuting(q, m.options.OpenPage)
	default:
		d = newSample(q)
	}
	m.dialogs.open(d)
	return tea.Batch(awaitOver(m.ctx, q), m.attention.call(asksYou(q)+" something"))
}

// inquired closes the dialog of a question that is over, and waits for the next.
func (m *model) inquired(q *desk.Question) tea.Cmd {
	next := watchDesk(m.ctx, m.options.Desk)
	m.dialogs.each(func(d dialog) {
		if i, ok := d.(inquiry); ok && i.about() == q {
			m.dialogs.close(d)
			next = tea.Batch(next, reply(readyMsg{}))
		}
	})
	if q.TakenBack() {
		next = tea.Batch(next, reply(noticeMsg{transcript.Info, cutMiddle(sanitize.Line(q.Server), 40) + " does not wait for your answer any more."}))
	}
	return next
}

// asksYou says who asks.
func asksYou(q *desk.Question) string { return cutMiddle(sanitize.Line(q.Server), 40) + " asks you" }
