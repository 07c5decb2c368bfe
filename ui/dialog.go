package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
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
// until nothing else is open, and takes only keys that were pressed after you could read it and had stopped typing: no dialog has to see to that.
type dialogs struct {
	stack []seat
	meant bool      // a key is being followed: what opens now was asked for
	typed time.Time // when a key was pressed last

	seen  dialog    // the top one in the last frame
	ready time.Time // from when on keys may be answers to it, if it came by itself
	alive time.Time // when the last message was handled
}

// seat is a dialog in its place.
type seat struct {
	dialog
	meant bool // a key opened it
}

const (
	// calm is how long the keyboard has to be still after a key that was not meant for a dialog.
	calm = 700 * time.Millisecond
	// glance is how long a dialog has to be on the screen. The renderer needs up to a frame to write it.
	glance = 300*time.Millisecond + time.Second/fps
	// pulse is how often something is handled at least while a dialog that came by itself is open.
	pulse = 100 * time.Millisecond
	// hang is a gap after which the program was stopped, or the terminal took no frame (drawing waits for that): keys have waited, and the dialog
	// counts as only just shown. A model that runs on all cores can delay a pulse for a few hundred milliseconds, which must not refuse every answer.
	hang = 5 * pulse
)

// open shows a dialog: at once if a key asked for it, else when those that are open are closed.
func (d *dialogs) open(x dialog) {
	at := 0
	if d.meant {
		at = len(d.stack)
	}
	d.stack = slices.Insert(d.stack, at, seat{x, d.meant})
}

// wake is called before each message is handled.
func (d *dialogs) wake(now time.Time) {
	if now.Sub(d.alive) > hang {
		d.wait(now.Add(glance))
	}
	d.alive = now
}

// shown is called after each message, with what is drawn next.
func (d *dialogs) shown(now time.Time) {
	if top := d.top(); top != d.seen {
		d.seen, d.ready = top, now.Add(glance)
		d.wait(d.typed.Add(calm))
	}
}

// wait lets no answer count before that time.
func (d *dialogs) wait(until time.Time) {
	if until.After(d.ready) {
		d.ready = until
	}
}

// beat returns when something has to be handled at the latest; zero when no dialog needs one.
func (d *dialogs) beat(now time.Time) time.Time {
	if n := len(d.stack); n == 0 || d.stack[n-1].meant {
		return time.Time{}
	}
	return now.Add(pulse)
}

// early reports whether a key pressed now is too early to be an answer to the top dialog.
func (d *dialogs) early(now time.Time) bool {
	n := len(d.stack)
	return n > 0 && !d.stack[n-1].meant && (d.top() != d.seen || now.Before(d.ready))
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

// keeps reports whether a key or a paste belongs to the draft and not to the top dialog, which came by itself: it is too early for an answer, or
// it begins something else. Then the next letters of the word are no answers either.
func (d *dialogs) keeps(msg tea.Msg, now time.Time) bool {
	top := d.stack[len(d.stack)-1]
	if top.meant || !writes(msg) || !d.early(now) && !beginsElse(top.dialog, msg) {
		return false
	}
	d.wait(now.Add(calm))
	return true
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
		return cmd
	}
	d.close(x)
	return tea.Sequence(cmd, reply(readyMsg{}))
}

// close takes a dialog away.
func (d *dialogs) close(x dialog) {
	for i, y := range d.stack {
		if x == y.dialog {
			d.stack = append(d.stack[:i:i], d.stack[i+1:]...)
			break
		}
	}
}

// closeMeant takes away all that a key opened.
func (d *dialogs) closeMeant() {
	d.stack = slices.DeleteFunc(d.stack, func(s seat) bool { return s.meant })
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
	return reply(screen.Flash{Text: fmt.Sprintf("A field takes %d MB: nothing of what was pasted is in it", form.LongestTyped>>20)})
}
