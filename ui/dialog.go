package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// dialog stands in the composer's place and asks for something. A new one is a file of its own.
type dialog interface {
	// update takes keys and pastes when the dialog is the top one, and every message that the root does not know.
	// done closes the dialog; what it wants to be done goes up as the command's message.
	update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// view draws at most height rows.
	view(width, height int, st *look) []string
}

// unbidden is the part of a dialog that opens by itself: who is typing at that moment must not answer with the next word.
type unbidden struct {
	pressed time.Time // when a key was last
}

// calm is how long the keyboard has to be still before a key counts as an answer.
const calm = 700 * time.Millisecond

// typing tells whether a key that writes still belongs to the draft, and if so that the keyboard is not still.
func (u *unbidden) typing(now time.Time) bool {
	if now.Sub(u.pressed) >= calm {
		return false
	}
	u.pressed = now
	return true
}

// dialogs is the stack of open dialogs; the top one is seen.
type dialogs struct{ stack []dialog }

func (d *dialogs) open(x dialog) { d.stack = append(d.stack, x) }

func (d *dialogs) top() dialog {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1]
}

// key gives a key or a paste to the top dialog.
func (d *dialogs) key(msg tea.Msg) tea.Cmd { return d.update(d.top(), msg) }

// tell gives a message to all dialogs: the one it is for knows it.
func (d *dialogs) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range append([]dialog(nil), d.stack...) {
		cmds = append(cmds, d.update(x, msg))
	}
	return tea.Batch(cmds...)
}

// update gives a message to one dialog. When that closes, what it wants to be done is done before what waits in line.
func (d *dialogs) update(x dialog, msg tea.Msg) tea.Cmd {
	done, cmd := x.update(msg)
	if !done {
		return cmd
	}
	d.close(x)
	return tea.Sequence(cmd, reply(readyMsg{}))
}

func (d *dialogs) close(x dialog) {
	for i, y := range d.stack {
		if x == y {
			d.stack = append(d.stack[:i:i], d.stack[i+1:]...)
			d.reveal(time.Now())
			return
		}
	}
}

// reply makes a command of a message.
func reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
