package ui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
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
	m.status.set(&status.State{})
	if err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	return nil
}

func copyCommand(m *model, arg string) tea.Cmd {
	return screen.Copy(m.transcript.Text(arg != "all"))
}

// setThink is /think.
func (t *talk) setThink(arg string) tea.Cmd {
	switch think := provider.Think(arg); think {
	case provider.ThinkAuto, provider.ThinkOn, provider.ThinkOff:
		t.chat.Think = think
		return flash("Thinking: " + arg)
	}
	return flash(fmt.Sprintf("Thinking is %q; say /think auto, on or off", cmp.Or(t.chat.Think, provider.ThinkAuto)))
}

// setStyle is /status.
func (t *talk) setStyle(arg string) tea.Cmd {
	switch style := status.Style(arg); style {
	case status.StyleSentence, status.StyleName:
		t.observer.Style = style
		return flash("Running tools are told by " + arg)
	}
	return flash("Say /status sentence or /status name")
}

// setSystem is /system.
func (t *talk) setSystem(arg string) tea.Cmd {
	words := "Your instructions are set, from the next question on"
	switch {
	case arg == "" && t.chat.System == "":
		words = "There are no instructions of yours; set them with /system TEXT"
	case arg == "":
		return reply(noticeMsg{transcript.Info, "Your instructions: " + t.chat.System})
	case arg == "-":
		t.chat.System, words = "", "Your instructions are removed"
	default:
		t.chat.System = sanitize.Text(arg)
	}
	return flash(words)
}
