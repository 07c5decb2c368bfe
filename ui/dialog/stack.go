package dialog

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// Stack holds the open dialogs and shows the top one. A dialog that a key opens goes on top and accepts every key. One
// that opens by itself waits until no other is open, and accepts only keys that you press after you could read it and
// have stopped typing. A letter answers it only if no other key follows, because it may be the first of a sentence.
type Stack struct {
	Keep func(tea.KeyPressMsg) tea.Cmd // types a key that is not for a dialog into your draft

	seats []seat
	held  held
	meant bool      // a key is being handled: a dialog that opens now is intended
	typed time.Time // when you last pressed a key

	seen  Dialog    // the top dialog in the last frame
	ready time.Time // when it starts to accept answers, if it opened by itself
	alive time.Time // when the last message was handled
}

// seat is a dialog and how it was opened.
type seat struct {
	Dialog
	meant bool // opened by a key
}

// held is a letter that answers a dialog unless another key follows.
type held struct {
	key tea.KeyPressMsg
	to  Dialog    // nil if no letter is held
	due time.Time // when it answers
}

const (
	// alone is how long no key may follow a letter that answers a dialog.
	alone = 250 * time.Millisecond
	// calm is the pause in typing before a dialog accepts an answer.
	calm = 700 * time.Millisecond
	// glance is the minimum time that a dialog must be on the screen before it accepts an answer. The renderer needs up to
	// a frame to write it.
	glance = 300*time.Millisecond + time.Second/60
	// pulse is the maximum time between two messages while a dialog is open that opened by itself.
	pulse = 100 * time.Millisecond
	// A gap longer than hang means that the program was stopped, or that the terminal took no frame. Keys may be waiting,
	// so the dialog counts as just shown. A model that runs on all cores can delay a pulse for a few hundred milliseconds,
	// which must not reject every answer.
	hang = 5 * pulse
)

// Open shows a dialog: at once if a key opened it, otherwise after those that are open.
func (s *Stack) Open(d Dialog) {
	at := 0
	if s.meant {
		at = len(s.seats)
	}
	s.seats = slices.Insert(s.seats, at, seat{d, s.meant})
}

// While runs the action of a key.
func (s *Stack) While(act func() tea.Cmd) tea.Cmd {
	s.meant = true
	defer func() { s.meant = false }()
	return act()
}

// Wake is called before each message is handled.
func (s *Stack) Wake(now time.Time) {
	if now.Sub(s.alive) > hang {
		s.wait(now.Add(glance))
	}
	s.alive = now
}

// Shown is called after each message.
func (s *Stack) Shown(now time.Time) {
	if top := s.Top(); top != s.seen {
		s.seen, s.ready = top, now.Add(glance)
		s.wait(s.typed.Add(calm))
	}
}

// Typed is called after each key.
func (s *Stack) Typed(now time.Time) { s.typed = now }

// wait ignores answers until a time.
func (s *Stack) wait(until time.Time) {
	if until.After(s.ready) {
		s.ready = until
	}
}

// Beat returns when a message must be handled at the latest; zero means never.
func (s *Stack) Beat(now time.Time) time.Time {
	next := now.Add(pulse)
	switch top := s.top(); {
	case s.held.to != nil && s.held.due.Before(next):
		return s.held.due
	case s.held.to == nil && (top.Dialog == nil || top.meant):
		return time.Time{}
	}
	return next
}

// Early reports whether a key pressed now is too early to be an answer to the top dialog.
func (s *Stack) Early(now time.Time) bool {
	top := s.top()
	return top.Dialog != nil && !top.meant && (top.Dialog != s.seen || now.Before(s.ready))
}

// Top returns the visible dialog, or nil.
func (s *Stack) Top() Dialog { return s.top().Dialog }

func (s *Stack) top() seat {
	if len(s.seats) == 0 {
		return seat{}
	}
	return s.seats[len(s.seats)-1]
}

// Press passes a key to the top dialog or, if it is not for the dialog, to the draft.
func (s *Stack) Press(k tea.KeyPressMsg, now time.Time) tea.Cmd {
	switch top := s.top(); {
	case s.Keeps(k, now):
		return s.Keep(k)
	case !top.meant && strings.TrimSpace(k.Text) != "" && !top.Writes(): // a space begins no sentence
		s.held = held{k, top.Dialog, now.Add(alone)}
		return nil
	}
	return s.Key(k)
}

// Follow must be called before each key and paste. It moves a held letter, which is no answer then, to the draft, and
// the letters after it are not answers either.
func (s *Stack) Follow(now time.Time) tea.Cmd {
	if s.held.to == nil {
		return nil
	}
	k := s.held.key
	s.held = held{}
	s.wait(now.Add(calm))
	return s.Keep(k)
}

// Due passes a held letter to its dialog when it has been alone for long enough. A letter for a dialog that has closed
// is no answer. Neither is one before the program was stopped: the keys that follow it may not have been read.
func (s *Stack) Due(now time.Time) tea.Cmd {
	switch {
	case s.held.to == nil || now.Before(s.held.due):
		return nil
	case s.held.to != s.Top() || s.Early(now):
		return s.Follow(now)
	}
	k := s.held.key
	s.held = held{}
	return s.While(func() tea.Cmd { return s.Key(k) })
}

// Keeps reports whether a key or a paste belongs to the draft and not to the top dialog, because the dialog opened by
// itself and it is too early for an answer, or has no use for it. In that case, the next letters of the word are not
// answers either.
func (s *Stack) Keeps(msg tea.Msg, now time.Time) bool {
	if s.top().meant || !writes(msg) || !s.Early(now) && !s.beginsElse(msg) {
		return false
	}
	s.wait(now.Add(calm))
	return true
}

// beginsElse reports whether a message is a letter that the top dialog does not use, or a paste that it does not
// accept.
func (s *Stack) beginsElse(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return !s.Top().Writes()
	}
	return k.Text != "" && !s.Top().Answers(k.Text)
}

// writes reports whether a message changes the text of a dialog.
func writes(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	return !ok || k.Text != "" || k.Code == tea.KeyBackspace || k.Code == tea.KeyEnter
}

// Key passes a key or a paste to the top dialog.
func (s *Stack) Key(msg tea.Msg) tea.Cmd { return s.update(s.Top(), msg) }

// Leave closes the top dialog, even one that asks for a second esc.
func (s *Stack) Leave() tea.Cmd {
	top := s.Top()
	cmd := s.Key(tea.KeyPressMsg{Code: tea.KeyEscape})
	if s.Top() == top {
		cmd = tea.Batch(cmd, s.Key(tea.KeyPressMsg{Code: tea.KeyEscape}))
	}
	return cmd
}

// Tell passes a message to all dialogs.
func (s *Stack) Tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range slices.Clone(s.seats) {
		cmds = append(cmds, s.update(x.Dialog, msg))
	}
	return tea.Batch(cmds...)
}

// update passes a message to one dialog. If the dialog closes, its command runs before the next dialog opens.
func (s *Stack) update(d Dialog, msg tea.Msg) tea.Cmd {
	change := func() (bool, tea.Cmd) { return d.Update(msg) }
	if own, ok := msg.(ownMsg); ok {
		if own.to != d {
			return nil
		}
		change = own.apply
	}
	done, cmd := change()
	if !done {
		return cmd
	}
	s.close(func(x seat) bool { return x.Dialog == d })
	return tea.Sequence(cmd, reply(Closed{}))
}

// CloseAbout closes the dialogs about a question that no longer needs an answer, and reports whether there were any.
func (s *Stack) CloseAbout(about any) bool {
	return s.close(func(x seat) bool { return x.About() == about })
}

func (s *Stack) close(which func(seat) bool) bool {
	n := len(s.seats)
	s.seats = slices.DeleteFunc(s.seats, which)
	return len(s.seats) < n
}

// Asks reports whether a turn or a server waits for an answer.
func (s *Stack) Asks() bool {
	return slices.ContainsFunc(s.seats, func(x seat) bool { return x.About() != nil })
}

// View draws the top dialog in at most height rows, and announces the next one.
func (s *Stack) View(width, height int, st *look.Look) []string {
	next := s.waits()
	if next == "" || height < 3 {
		return s.Top().View(width, height, st)
	}
	words := st.Longest(width-4, next+" · opens when you close this", next+" · next")
	return append(s.Top().View(width, height-1, st), "  "+st.Warn.Render(st.Clip("● "+words, max(1, width-2))))
}

// waits describes the next dialog that opened by itself, or returns "" if there is none below the top one.
func (s *Stack) waits() string {
	for _, x := range slices.Backward(s.seats[:max(0, len(s.seats)-1)]) {
		if !x.meant {
			return x.Waits()
		}
	}
	return ""
}
