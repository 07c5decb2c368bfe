package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/transcript"
)

type (
	// questionMsg is a question of a server.
	questionMsg struct{ question *elicit.Question }
	// overMsg is a question that no longer needs an answer.
	overMsg struct{ question *elicit.Question }
	// noticesMsg has notices about questions that were answered automatically.
	noticesMsg struct{ texts []string }
)

// questions shows the questions of servers.
type questions struct {
	ctx        context.Context // of commands
	inbox      *elicit.Inbox   // nil if servers cannot ask
	page       func(address string) error
	dialogs    *dialog.Stack
	transcript *transcript.Transcript
	call       func(text string) tea.Cmd // notifies you
}

// begin waits for questions and notices.
func (s *questions) begin() tea.Cmd {
	if s.inbox == nil {
		return nil
	}
	return tea.Batch(s.next(), s.notices())
}

// next returns a command that waits for the next question.
func (s *questions) next() tea.Cmd {
	return func() tea.Msg {
		q, err := s.inbox.Next(s.ctx)
		if err != nil {
			return nil
		}
		return questionMsg{q}
	}
}

// notices returns a command that waits for the next notices about questions.
func (s *questions) notices() tea.Cmd {
	return func() tea.Msg {
		texts, err := s.inbox.Told(s.ctx)
		if err != nil {
			return nil
		}
		return noticesMsg{texts}
	}
}

func (s *questions) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case questionMsg:
		return s.ask(msg.question)
	case overMsg:
		return s.over(msg.question)
	case noticesMsg:
		for _, text := range msg.texts {
			s.transcript.Notice(transcript.Info, text)
		}
		return s.notices()
	}
	return nil
}

// ask opens the dialog for a question, after those that are open.
func (s *questions) ask(q *elicit.Question) tea.Cmd {
	s.dialogs.Open(dialog.NewQuestion(q, s.page))
	return tea.Batch(s.call(dialog.AsksYou(q)), func() tea.Msg {
		select {
		case <-q.Over():
			return overMsg{q}
		case <-s.ctx.Done():
			return nil
		}
	})
}

// over closes the dialog of a question that no longer needs an answer, and waits for the next question.
func (s *questions) over(q *elicit.Question) tea.Cmd {
	next := s.next()
	if s.dialogs.CloseAbout(q) {
		next = tea.Batch(next, reply(dialog.Closed{}))
	}
	return next
}
