package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/screen"
)

// attention tracks whether the terminal has the focus. If not, aloud notifies you.
type attention struct {
	notify bool      // notifications are wanted
	looked bool      // the terminal has the focus, or never reported it
	began  time.Time // start of the turn
}

// patient is the minimum duration of a turn whose end causes a notification.
const patient = 10 * time.Second

// follow updates the focus. A key, a paste, the mouse and the return from the shell count as focus: some terminals
// report when they lose it, but not when they get it back.
func (a *attention) follow(msg tea.Msg) {
	switch msg.(type) {
	case tea.FocusMsg, tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.ResumeMsg:
		a.looked = true
	case tea.BlurMsg:
		a.looked = false
	}
}

// call shows a notification if the terminal does not have the focus.
func (a *attention) call(text string) tea.Cmd {
	if !a.notify || a.looked {
		return nil
	}
	return screen.Notify(text)
}

// end notifies you of the end of a long turn, unless you stopped it.
func (a *attention) end(stop event.Reason) tea.Cmd {
	if stop == event.Cancelled || stop == event.Denied || time.Since(a.began) < patient {
		return nil
	}
	return a.call("finished")
}

// title is the window's title. Tabs are narrow, so the state comes first: a dot when aloud waits for you.
func (m *model) title() string {
	switch {
	case !m.options.Title:
		return ""
	case m.dialogs.Asks():
		return "● aloud · waiting for you"
	case m.talk.busy() || m.resolver.active():
		return "aloud · working"
	}
	return "aloud · ready"
}
