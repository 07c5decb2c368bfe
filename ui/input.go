package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/screen"
)

// key routes a key: what always works, the top dialog, the list of commands, the chat, the composer.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	defer func() { m.dialogs.Typed(time.Now()) }()
	if !key.Matches(k, m.keys.leave) {
		m.left = time.Time{} // the next ctrl+c is about what is typed now
	}
	if cmd, known := m.globalKey(k); known {
		return cmd
	}
	if m.dialogs.Top() != nil {
		return m.dialogKey(k, time.Now())
	}
	if then, known := m.prompt.Choose(k); known {
		return m.chosen(then)
	}
	if cmd, known := m.chatKey(k); known {
		return cmd
	}
	m.typeInto(k)
	return nil
}

// dialogKey gives a key to the top dialog. One that came too early for it does what it did before: letters go to the draft, esc stops the turn.
func (m *model) dialogKey(k tea.KeyPressMsg, now time.Time) tea.Cmd {
	early := m.dialogs.Early(now)
	switch {
	case m.dialogs.Keeps(k, now):
		m.typeInto(k)
		if early && k.Text != "" && !m.dialogs.BeginsElse(k) {
			return m.footer.show("Too soon to answer: kept in your draft")
		}
	case early && key.Matches(k, m.keys.stop):
		m.stop()
	default:
		return m.dialogs.Key(k)
	}
	return nil
}

func (m *model) typeInto(k tea.KeyPressMsg) {
	if k.Code == tea.KeyEnter && k.Mod == 0 {
		return
	}
	m.prompt.Key(k)
}

// globalKey are the keys that work whatever is open.
func (m *model) globalKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, m.keys.leave):
		return m.leave(), true
	case key.Matches(k, m.keys.suspend):
		return m.options.shell.Suspend(m.ctx, m.talk.chat.Suspend), true
	case key.Matches(k, m.keys.redraw):
		return screen.Redraw(), true
	case key.Matches(k, m.keys.pager):
		return pager(m.transcript), true
	case key.Matches(k, m.keys.mouse):
		m.mouse = !m.mouse
		if m.mouse {
			return flash("The wheel scrolls again"), true
		}
		return flash("The mouse selects now; ctrl+t gives the wheel back"), true
	case fold(&m.look, k, m.keys):
		m.restyle()
		return nil, true
	}
	return nil, false
}

func (m *model) chatKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	empty := m.prompt.Empty()
	switch {
	case key.Matches(k, m.keys.send):
		return m.submit(), true
	case key.Matches(k, m.keys.stop):
		m.stop()
	case key.Matches(k, m.keys.goOn):
		return goOn(m, ""), true
	case key.Matches(k, m.keys.leaveEmpty) && empty:
		return tea.Quit, true
	case key.Matches(k, m.keys.back) && empty && len(m.talk.queue) > 0:
		m.prompt.Set(m.talk.unqueue())
	case key.Matches(k, m.keys.copy):
		return screen.Copy(m.transcript.Text(true)), true
	default:
		return nil, scroll(m.transcript, k, m.keys, empty)
	}
	return nil, true
}

// paste gives a text to the top dialog if that has a place for one, else to the draft: what was copied may be gone elsewhere.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if top := m.dialogs.Top(); top != nil && top.Writes() && !m.dialogs.Keeps(msg, time.Now()) {
		return m.dialogs.Key(msg)
	}
	m.dialogs.Typed(time.Now())
	m.left = time.Time{}
	m.prompt.Paste(msg.Content)
	return nil
}

// leave is ctrl+c: it closes a dialog, clears the draft, or stops the turn; again, while the footer says so, it leaves.
func (m *model) leave() tea.Cmd {
	if time.Since(m.left) < flashTime {
		return tea.Quit
	}
	m.left = time.Now()
	var cmd tea.Cmd
	top := m.dialogs.Top()
	asks := top != nil && m.talk.busy() && top.About() == m.talk.turn
	switch {
	case top != nil && !asks && !m.dialogs.Early(time.Now()):
		cmd = m.dialogs.Leave()
	case !asks && !m.prompt.Empty():
		m.prompt.Clear()
	default:
		m.stop()
	}
	return tea.Batch(cmd, m.footer.show("Press ctrl+c again to leave"))
}

// stop ends the running turn; what waits in line comes back into the composer.
func (m *model) stop() {
	m.operation.leave()
	if m.talk.busy() {
		m.talk.turn.cancel()
	}
	m.prompt.PutBack(m.talk.unqueueAll()...)
}

// chosen acts on a choice from the list of completions.
func (m *model) chosen(then composer.Choice) tea.Cmd {
	switch {
	case then.Template != nil:
		return m.resolver.fillTemplate(*then.Template)
	case then.Send:
		return m.submit()
	}
	return nil
}

// occupied reports whether a question has to wait.
func (m *model) occupied() bool {
	return m.talk.busy() || m.operation.active() || !m.choice.ready()
}
