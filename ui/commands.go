package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

func retry(m *model, _ string) tea.Cmd {
	if !m.choice.ready() {
		return flash("There is no model to ask yet")
	}
	question, err := m.talk.takeBack()
	if question == nil {
		return flash("There is no question to ask again")
	}
	m.transcript.TakeBack()
	if err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	return m.send(question...)
}

func goOn(m *model, _ string) tea.Cmd {
	switch {
	case m.occupied():
		return nil
	case !m.talk.stopped:
		return flash("The last answer was not stopped")
	}
	return m.begin(m.talk.resume(m.ctx))
}

func clearAll(m *model, _ string) tea.Cmd {
	err := m.talk.renew(m.options.NewSession)
	m.transcript.Clear()
	m.footer.used = 0
	m.status.set(status.State{})
	if err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	return nil
}

func copyCommand(m *model, arg string) tea.Cmd {
	return screen.Copy(m.transcript.Text(arg != "all"))
}
