package ui

import (
	"io"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// key routes a key: what always works, the top dialog, the list of commands, the chat, the composer.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	defer func() { m.dialogs.Typed(time.Now()) }()
	if !key.Matches(k, m.keys.leave) {
		m.left = time.Time{} // the next ctrl+c does not leave
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

// dialogKey gives a key to the top dialog. A key that came too early to be an answer works as without the dialog:
// letters go to the draft, esc stops the turn.
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

// globalKey handles the keys that always work.
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

// paste gives a text to the top dialog if it takes one, else to the draft.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if top := m.dialogs.Top(); top != nil && top.Writes() && !m.dialogs.Keeps(msg, time.Now()) {
		return m.dialogs.Key(msg)
	}
	m.dialogs.Typed(time.Now())
	m.left = time.Time{}
	m.prompt.Paste(msg.Content)
	return nil
}

// leave is ctrl+c: it closes a dialog, clears the draft or stops the turn. A second time, while the footer says so, it
// leaves.
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

// stop ends the running turn and puts the queue back into the composer.
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

// keyMap has every key of the chat, for routing and for /help.
type keyMap struct {
	send, newline, stop, leave, leaveEmpty, goOn    key.Binding
	pageUp, pageDown, top, bottom, first, last      key.Binding
	copy, pager, mouse, details, thinking           key.Binding
	suspend, redraw, previous, next, complete, back key.Binding
}

func newKeyMap() keyMap {
	bind := func(help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keys[0], help))
	}
	return keyMap{
		send:       bind("send; while an answer runs: put in line", "enter"),
		newline:    bind("new line; also alt+enter, shift+enter", "ctrl+j", "alt+enter", "shift+enter"),
		previous:   bind("earlier questions, from the first line", "up"),
		next:       bind("later questions, from the last line", "down"),
		complete:   bind("complete a command, a prompt or a resource", "tab"),
		stop:       bind("stop the answer; what is there stays", "esc"),
		goOn:       bind("go on after a stop, with fresh limits", "ctrl+g"),
		back:       bind("empty line: take back what waits in line", "backspace"),
		pageUp:     bind("scroll up; also the wheel", "pgup"),
		pageDown:   bind("scroll down", "pgdown"),
		top:        bind("to the beginning; home when the line is empty", "ctrl+home"),
		bottom:     bind("to the end; end when the line is empty", "ctrl+end"),
		first:      key.NewBinding(key.WithKeys("home")),
		last:       key.NewBinding(key.WithKeys("end")),
		details:    bind("unfold or fold tool calls and long questions", "ctrl+x"),
		thinking:   bind("unfold or fold reasoning", "ctrl+r"),
		copy:       bind("copy the last answer", "ctrl+y"),
		pager:      bind("the whole conversation in the pager", "ctrl+o"),
		mouse:      bind("give the mouse to the terminal, to select; again takes it back", "ctrl+t"),
		redraw:     bind("draw the screen again", "ctrl+l"),
		suspend:    bind("to the shell; fg comes back", "ctrl+z"),
		leave:      bind("clear the line or stop; twice leaves", "ctrl+c"),
		leaveEmpty: bind("empty line: leave", "ctrl+d"),
	}
}

// rows are the keys in the order in which /help shows them.
func (k keyMap) rows() []key.Binding {
	return []key.Binding{
		k.send, k.newline, k.previous, k.next, k.complete, k.stop, k.goOn, k.back, k.pageUp, k.pageDown, k.top, k.bottom,
		k.details, k.thinking, k.copy, k.pager, k.mouse, k.redraw, k.suspend, k.leave, k.leaveEmpty,
	}
}

// scroll handles the keys that scroll. home and end do only while the composer is empty.
func scroll(t *transcript.Transcript, k tea.KeyPressMsg, keys keyMap, idle bool) (known bool) {
	switch {
	case key.Matches(k, keys.pageUp):
		t.Page(-1)
	case key.Matches(k, keys.pageDown):
		t.Page(1)
	case key.Matches(k, keys.top), key.Matches(k, keys.first) && idle:
		t.Home()
	case key.Matches(k, keys.bottom), key.Matches(k, keys.last) && idle:
		t.End()
	default:
		return false
	}
	return true
}

// pager shows the whole conversation in the pager.
func pager(t *transcript.Transcript) tea.Cmd {
	if t.Empty() {
		return flash("There is nothing to show yet")
	}
	all := t.Unfolded()
	return screen.Pager(func(w io.Writer) error { return all.Dump(w, 0) })
}

// wheel scrolls with the mouse.
func wheel(t *transcript.Transcript, msg tea.MouseWheelMsg) {
	switch msg.Button {
	case tea.MouseWheelUp:
		t.Scroll(-3)
	case tea.MouseWheelDown:
		t.Scroll(3)
	}
}

// fold handles the keys that fold and unfold.
func fold(l *look.Look, k tea.KeyPressMsg, keys keyMap) (known bool) {
	switch {
	case key.Matches(k, keys.details):
		l.Details = !l.Details
	case key.Matches(k, keys.thinking):
		l.Thinking = !l.Thinking
	default:
		return false
	}
	return true
}
