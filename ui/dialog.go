package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/ui/look"
)

// dialog stands in the composer's place and asks for something. A new one is a file of its own.
type dialog interface {
	// update takes keys and pastes when the dialog is the top one, the news of the board, and every message that the root does not know.
	// done closes the dialog; what it wants to be done goes up as the command's message.
	update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// view draws at most height rows.
	view(width, height int, st *look.Look) []string
}

// chooser is a dialog for which only some letters mean something, as answers do. Any other letter begins something else.
type chooser interface{ takes(letter string) bool }

// dialogs is the stack of open dialogs; the top one is seen. What a key opens lies on top and takes every key. What comes by itself waits
// until nothing else is open, and leaves alone what is being written then: no dialog has to see to that.
type dialogs struct {
	stack []seat
	meant bool      // a key is being followed: what opens now was asked for
	typed time.Time // when a key was pressed last
}

// seat is a dialog in its place.
type seat struct {
	dialog
	meant bool      // somebody opened it
	typed time.Time // when something was last written that was not meant for it
}

// calm is how long the keyboard has to be still before what is written is an answer to a dialog that came by itself.
const calm = 700 * time.Millisecond

// open shows a dialog: at once when a key asked for it, or when the top one yields to questions; else when those that are open are closed.
func (d *dialogs) open(x dialog) {
	s := seat{x, d.meant, d.typed}
	if d.meant {
		d.stack = append(d.stack, s)
		return
	}
	d.stack = slices.Insert(d.stack, d.line(), s)
}

// line is where those wait that came by themselves: right above a dialog that yields to them, as it may wait for their answers; else below all.
func (d *dialogs) line() int {
	for i, s := range slices.Backward(d.stack) {
		if x, ok := s.dialog.(interface{ yields() bool }); ok && x.yields() {
			return i + 1
		}
	}
	return 0
}

// raise brings those that wait below a dialog to where they can be reached when that has begun to yield. What was written until now was not
// meant for the one that comes into view.
func (d *dialogs) raise() {
	n := d.line()
	var stay, rise []seat
	for i, s := range d.stack[:n] {
		if s.meant || i == n-1 {
			stay = append(stay, s)
		} else {
			rise = append(rise, s)
		}
	}
	if len(rise) == 0 {
		return
	}
	if n == len(d.stack) {
		rise[len(rise)-1].typed = time.Now()
	}
	d.stack = slices.Concat(stay, rise, d.stack[n:])
}

// while carries out what a key asks for.
func (d *dialogs) while(act func() tea.Cmd) tea.Cmd {
	d.meant = true
	defer func() { d.meant = false }()
	return act()
}

func (d *dialogs) top() dialog {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1].dialog
}

// keeps tells whether a key or a paste belongs to the draft and not to the top dialog, which came by itself. Who writes goes on writing, and
// the next letters of a word are no answers.
func (d *dialogs) keeps(msg tea.Msg, now time.Time) bool {
	s := &d.stack[len(d.stack)-1]
	if s.meant || !writes(msg) {
		return false
	}
	if now.Sub(s.typed) < calm || beginsElse(s.dialog, msg) {
		s.typed = now
		return true
	}
	return false
}

// beginsElse tells whether a key is a letter that means nothing to a dialog.
func beginsElse(x dialog, msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	c, chooses := x.(chooser)
	return ok && chooses && k.Text != "" && !c.takes(k.Text)
}

// writes tells whether a message changes what is being written.
func writes(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	return !ok || k.Text != "" || k.Code == tea.KeyBackspace || k.Code == tea.KeyEnter
}

// key gives a key or a paste to the top dialog.
func (d *dialogs) key(msg tea.Msg) tea.Cmd {
	return d.update(d.top(), msg)
}

// leave closes the top dialog, also when that wants to be asked twice: the person said so with more than a slip of a finger.
func (d *dialogs) leave() tea.Cmd {
	top := d.top()
	cmd := d.key(tea.KeyPressMsg{Code: tea.KeyEscape})
	if d.top() == top {
		cmd = tea.Batch(cmd, d.key(tea.KeyPressMsg{Code: tea.KeyEscape}))
	}
	return cmd
}

// tell gives a message to all dialogs: the one it is for knows it.
func (d *dialogs) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range append([]seat(nil), d.stack...) {
		cmds = append(cmds, d.update(x.dialog, msg))
	}
	return tea.Batch(cmds...)
}

// update gives a message to one dialog. When that closes, what it wants to be done is done before what waits in line.
func (d *dialogs) update(x dialog, msg tea.Msg) tea.Cmd {
	done, cmd := x.update(msg)
	if !done {
		d.raise()
		return cmd
	}
	d.close(x)
	return tea.Sequence(cmd, reply(readyMsg{}))
}

// close takes a dialog away. What was written until now was not meant for the one that comes into view.
func (d *dialogs) close(x dialog) {
	for i, y := range d.stack {
		if x == y.dialog {
			d.stack = append(d.stack[:i:i], d.stack[i+1:]...)
			break
		}
	}
	if n := len(d.stack); n > 0 {
		d.stack[n-1].typed = time.Now()
	}
}

// each calls do for the dialogs, from the top one down. It may close them.
func (d *dialogs) each(do func(x dialog)) {
	for _, s := range slices.Backward(d.stack) {
		do(s.dialog)
	}
}

// view draws the top dialog in at most height rows, and says what waits below it.
func (d *dialogs) view(width, height int, st *look.Look) []string {
	next := d.next()
	if next == "" || height < 3 {
		return d.top().view(width, height, st)
	}
	words := next + ": that opens when this is closed"
	if st.Method.StringWidth(words)+4 > width {
		words = next + ", after this"
	}
	return append(d.top().view(width, height-1, st), "  "+st.Warn.Render(st.Clip("● "+words, max(1, width-2))))
}

// next names the dialog that waits below the top one and has come by itself; "" when none has.
func (d *dialogs) next() string {
	for i := len(d.stack) - 2; i >= 0; i-- {
		if s := d.stack[i]; !s.meant {
			if x, ok := s.dialog.(interface{ waits() string }); ok {
				return x.waits()
			}
			return "There is a question"
		}
	}
	return ""
}

// meantMsg is what a key asked for by way of a dialog: what opens of it takes every key, too.
type meantMsg struct{ msg tea.Msg }

// reply makes a command of a message.
func reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// pasted tells a person that what they pasted into a field was not taken.
func pasted(taken bool) tea.Cmd {
	if taken {
		return nil
	}
	return reply(flashMsg{fmt.Sprintf("A field takes %d MB: nothing of what was pasted is in it", form.LongestTyped>>20)})
}
