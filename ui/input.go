package ui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// key passes a key to the first that uses it: keys that always work, the top dialog, the list of completions, the chat,
// the composer.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if name != "ctrl+c" {
		m.left = time.Time{} // the next ctrl+c does not quit
	}
	if cmd, known := m.globalKey(name); known {
		return cmd
	}
	if taken, cmd := m.dialogs.Type(k, time.Now()); taken {
		return cmd
	}
	if m.dialogs.Top() != nil {
		if name == "esc" {
			m.stop()
			return nil
		}
		return typeBehind(k, m.prompt, &m.footer)
	}
	if send, known := m.prompt.Choose(k); send {
		return m.submit()
	} else if known {
		return nil
	}
	if cmd, known := m.chatKey(name); known {
		return cmd
	}
	typeInto(m.prompt, k)
	return nil
}

// typeInto types a key into the draft. Enter has no effect.
func typeInto(prompt *composer.Composer, k tea.KeyPressMsg) {
	if k.Code != tea.KeyEnter || k.Mod != 0 {
		prompt.Key(k)
	}
}

// typeBehind types a key, if there is one, into the draft behind a dialog, and shows the end of the draft.
func typeBehind(k tea.KeyPressMsg, prompt *composer.Composer, f *footer) tea.Cmd {
	const shown = 20
	if k == (tea.KeyPressMsg{}) {
		return nil
	}
	typeInto(prompt, k)
	if prompt.Empty() {
		return nil
	}
	draft := []rune(prompt.Value())
	if cut := len(draft) - shown; cut > 0 {
		draft = append([]rune("…"), draft[cut:]...)
	}
	return f.show("In your draft: " + string(draft) + " · pause to answer")
}

// globalKey handles the keys that always work.
func (m *model) globalKey(name string) (cmd tea.Cmd, known bool) {
	switch name {
	case "ctrl+c":
		return m.leave(), true
	case "ctrl+z":
		return m.options.shell.Suspend(m.talk.suspend), true
	case "ctrl+l":
		return screen.Redraw(), true
	case "ctrl+o":
		return pager(m.transcript), true
	case "ctrl+t":
		if m.mouse = !m.mouse; m.mouse {
			return screen.ShowFlash("The mouse wheel scrolls again"), true
		}
		return screen.ShowFlash("The mouse selects text · ctrl+t to scroll again"), true
	case "ctrl+x":
		m.look.Details = !m.look.Details
	case "ctrl+r":
		m.look.Thinking = !m.look.Thinking
	default:
		return nil, false
	}
	m.restyle()
	return nil, true
}

func (m *model) chatKey(name string) (cmd tea.Cmd, known bool) {
	if m.prompt.Empty() {
		switch name {
		case "ctrl+d":
			return tea.Quit, true
		case "home", "end":
			name = "ctrl+" + name
		case "backspace":
			if len(m.talk.queue) > 0 {
				m.prompt.Set(m.talk.unqueue())
				return nil, true
			}
		}
	}
	switch name {
	case "enter":
		return m.submit(), true
	case "ctrl+g":
		return goOn(m, ""), true
	case "ctrl+y":
		return screen.Copy(m.transcript.Answer()), true
	case "esc":
		m.stop()
	case "pgup":
		m.transcript.Page(-1)
	case "pgdown":
		m.transcript.Page(1)
	case "ctrl+home":
		m.transcript.Home()
	case "ctrl+end":
		m.transcript.End()
	default:
		return nil, false
	}
	return nil, true
}

// paste passes a text to the top dialog if it accepts one, else to the draft.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if taken, cmd := m.dialogs.Type(msg, time.Now()); taken {
		return cmd
	}
	m.left = time.Time{}
	m.prompt.Paste(msg.Content)
	return nil
}

// leave handles ctrl+c: it closes a dialog, clears the draft or stops the turn. Pressed again while the footer shows
// the hint, it quits.
func (m *model) leave() tea.Cmd {
	if time.Since(m.left) < flashTime {
		return tea.Quit
	}
	m.left = time.Now()
	var taken bool
	var cmd tea.Cmd
	top := m.dialogs.Top()
	asks := top != nil && m.talk.busy() && top.Traits().Asker == m.talk.turn
	if !asks {
		taken, cmd = m.dialogs.Leave(time.Now())
	}
	switch {
	case taken:
	case !asks && !m.prompt.Empty():
		m.prompt.Clear()
	default:
		m.stop()
	}
	return tea.Batch(cmd, m.footer.show("Press ctrl+c again to quit"))
}

// stop ends the running turn and puts the queue back into the composer.
func (m *model) stop() {
	m.resolver.leave()
	if m.talk.busy() {
		m.talk.turn.cancel()
	}
	m.prompt.PutBack(m.talk.unqueueAll()...)
}

// occupied reports whether a question must be queued.
func (m *model) occupied() bool {
	return m.talk.busy() || m.resolver.active() || !m.models.ready()
}

// keys are the keys of the chat, in the order of /help.
var keys = [][2]string{
	{"enter", "send; queue while an answer is running"},
	{"ctrl+j", "new line; also alt+enter, shift+enter"},
	{"up", "earlier messages, from the first line"},
	{"down", "later messages, from the last line"},
	{"tab", "complete a command, a prompt or a resource"},
	{"esc", "stop the answer; the partial answer is kept"},
	{"ctrl+g", "continue a stopped answer, with fresh limits"},
	{"backspace", "on an empty line: edit the last queued message"},
	{"pgup", "scroll up; also the mouse wheel"},
	{"pgdown", "scroll down"},
	{"ctrl+home", "go to the beginning; also home on an empty line"},
	{"ctrl+end", "go to the end; also end on an empty line"},
	{"ctrl+x", "unfold or fold tool calls and long messages"},
	{"ctrl+r", "unfold or fold thinking"},
	{"ctrl+y", "copy the last answer"},
	{"ctrl+o", "open the whole conversation in the pager"},
	{"ctrl+t", "let the mouse select text; again to scroll"},
	{"ctrl+l", "redraw the screen"},
	{"ctrl+z", "suspend; fg in the shell resumes"},
	{"ctrl+c", "clear the draft or stop the answer; twice to quit"},
	{"ctrl+d", "on an empty line: quit"},
}

// pager shows the whole conversation in the pager.
func pager(t *transcript.Transcript) tea.Cmd {
	if t.Empty() {
		return screen.ShowFlash("Nothing to show yet")
	}
	all := t.Unfolded()
	return screen.Pager(func(w io.Writer) error { return all.Dump(w, 0) })
}
