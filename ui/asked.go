package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
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
		d = newElicit(q, m.typed)
	case desk.Page:
		d = newOuting(q, m.options.OpenPage, m.typed)
	default:
		d = newSample(q, m.typed)
	}
	m.dialogs.await(d)
	return tea.Batch(awaitOver(m.ctx, q), m.call(cutMiddle(sanitize.Line(q.Server), 40)+" asks you something"))
}

// inquired closes the dialog of a question that is over, and waits for the next.
func (m *model) inquired(q *desk.Question) tea.Cmd {
	next := watchDesk(m.ctx, m.options.Desk)
	for _, d := range m.dialogs.stack {
		if i, ok := d.(inquiry); ok && i.about() == q {
			m.dialogs.close(d)
			next = tea.Batch(next, reply(readyMsg{}))
			break
		}
	}
	if q.TakenBack() {
		next = tea.Batch(next, reply(flashMsg{cutMiddle(sanitize.Line(q.Server), 40) + " does not wait for your answer any more"}))
	}
	return next
}

// asks tells whether a server waits for the person.
func (d *dialogs) asks() bool {
	for _, x := range d.stack {
		if _, ok := x.(inquiry); ok {
			return true
		}
	}
	return false
}

// await puts a dialog behind those that are open: it is seen when they are closed.
func (d *dialogs) await(x dialog) { d.stack = append([]dialog{x}, d.stack...) }

// reveal tells a dialog that it has come into view: the key that brought it there is no answer to it.
func (d *dialogs) reveal(now time.Time) {
	if x, ok := d.top().(interface{ revealed(now time.Time) }); ok {
		x.revealed(now)
	}
}
