package dialog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Stack holds the open dialogs and shows the top one. A dialog that a key opens goes on top and accepts every key. One
// that opens by itself waits until no other is open, and accepts only keys that you press after you could read it and
// have stopped typing. A letter answers it only if no other key follows, because it may be the first of a sentence.
//
// Begin and End enclose the handling of each message. In between, Type and Tell pass messages to dialogs.
type Stack struct {
	dialogs []opened
	byKey   bool // a key is being handled, so that a dialog that opens now is intended
	letter  letter

	typed time.Time // when you last pressed a key
	shown Dialog    // the top dialog in the last frame
	ready time.Time // when it starts to accept answers, if it opened by itself
	alive time.Time // when the last message was handled
}

// opened is an open dialog.
type opened struct {
	Dialog
	byKey bool      // a key opened it
	ready time.Time // when it accepts answers to what it asks since then
}

// letter is a letter that answers a dialog unless another key follows.
type letter struct {
	key tea.KeyPressMsg
	to  Dialog    // may be nil
	due time.Time // when it answers
}

const (
	// letterAlone is how long no key may follow a letter that answers a dialog.
	letterAlone = 250 * time.Millisecond
	// typingPause is the pause in typing before a dialog accepts an answer.
	typingPause = 700 * time.Millisecond
	// readingTime is the minimum time that a dialog must be on the screen before it accepts an answer. The renderer needs
	// up to a frame to write it.
	readingTime = 300*time.Millisecond + time.Second/60
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
	if s.byKey {
		at = len(s.dialogs)
	}
	s.dialogs = slices.Insert(s.dialogs, at, opened{Dialog: d, byKey: s.byKey})
}

// Begin must be called before a message is handled. draft is a letter that has turned out to be no answer, and belongs
// to your draft; zero without one.
func (s *Stack) Begin(msg tea.Msg, now time.Time) (draft tea.KeyPressMsg, cmd tea.Cmd) {
	if now.Sub(s.alive) > hang {
		s.wait(now.Add(readingTime))
	}
	s.alive = now
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		s.typed = now
		draft = s.release(now)
	case ByKey:
	default:
		return s.answer(now)
	}
	s.byKey = true
	return draft, nil
}

// answer passes the letter to its dialog when it has been alone for long enough. A letter for a dialog that has closed
// is no answer. Neither is one before the program was stopped: the keys that follow it may not have been read.
func (s *Stack) answer(now time.Time) (draft tea.KeyPressMsg, cmd tea.Cmd) {
	switch {
	case s.letter.to == nil || now.Before(s.letter.due):
		return draft, nil
	case s.letter.to != s.Top() || s.early(now):
		return s.release(now), nil
	}
	key := s.letter.key
	s.letter, s.byKey = letter{}, true
	cmd = s.update(s.Top(), key)
	s.byKey = false
	return draft, cmd
}

// release returns the letter, which is no answer. The letters after it are not answers either.
func (s *Stack) release(now time.Time) tea.KeyPressMsg {
	if s.letter.to != nil {
		s.wait(now.Add(typingPause))
	}
	key := s.letter.key
	s.letter = letter{}
	return key
}

// wait ignores answers until a time.
func (s *Stack) wait(until time.Time) {
	if until.After(s.ready) {
		s.ready = until
	}
}

// End must be called after a message was handled. It returns when the next message must be handled at the latest; zero
// means never.
func (s *Stack) End(now time.Time) time.Time {
	s.byKey = false
	if top := s.Top(); top != s.shown {
		s.shown, s.ready = top, now.Add(readingTime)
		s.wait(s.typed.Add(typingPause))
	}
	next := now.Add(pulse)
	switch top := s.top(); {
	case s.letter.to != nil && s.letter.due.Before(next):
		return s.letter.due
	case s.letter.to == nil && (top.Dialog == nil || top.byKey):
		return time.Time{}
	}
	return next
}

// early reports whether a key pressed now is too early to be an answer to the top dialog.
func (s *Stack) early(now time.Time) bool {
	top := s.top()
	return top.Dialog != nil && !top.byKey && (top.Dialog != s.shown || now.Before(s.ready))
}

// Top returns the visible dialog, or nil.
func (s *Stack) Top() Dialog { return s.top().Dialog }

func (s *Stack) top() opened {
	if len(s.dialogs) == 0 {
		return opened{}
	}
	return s.dialogs[len(s.dialogs)-1]
}

// Tell passes a message to all dialogs.
func (s *Stack) Tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range slices.Clone(s.dialogs) {
		cmds = append(cmds, s.update(x.Dialog, msg))
	}
	return tea.Batch(cmds...)
}

// Type passes a key or a paste to the top dialog. taken is false if it is not for a dialog: none is open, it is too
// early for an answer, or the dialog does not use it.
func (s *Stack) Type(msg tea.Msg, now time.Time) (taken bool, cmd tea.Cmd) {
	top := s.top()
	if top.Dialog == nil {
		return false, nil
	}
	traits, early := top.Traits(), s.early(now)
	k, isKey := msg.(tea.KeyPressMsg)
	leaves := keyOf(msg) == "esc" || keyOf(msg) == "ctrl+c"
	switch {
	case now.Before(top.ready) && !leaves: // the key may have been for what it showed before, or be held
		s.dialogs[len(s.dialogs)-1].ready = now.Add(typingPause)
		return true, nil
	case !isKey && top.byKey && !traits.Text, early && leaves:
		return false, nil
	case !top.byKey && writes(msg) && (early || !traits.takes(msg)):
		s.wait(now.Add(typingPause)) // the next letters of the word are not answers either
		return false, nil
	case early: // an arrow would choose the answer of a later enter
		return true, nil
	case isKey && !top.byKey && !traits.Text && strings.TrimSpace(k.Text) != "": // a space begins no sentence
		s.letter = letter{k, top.Dialog, now.Add(letterAlone)}
		return true, nil
	}
	return true, s.update(top.Dialog, msg)
}

// Wheel scrolls the top dialog by a number of rows. taken is false if none of its text is out of view.
func (s *Stack) Wheel(rows int) (taken bool) {
	d, ok := s.Top().(interface{ Wheel(rows int) bool })
	return ok && d.Wheel(rows)
}

// Leave closes the top dialog. taken is false if none is open, or if it is too early.
func (s *Stack) Leave(now time.Time) (taken bool, cmd tea.Cmd) {
	return s.Type(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, now)
}

// takes reports whether a dialog uses the text of a key or a paste.
func (t Traits) takes(msg tea.Msg) bool {
	k, isKey := msg.(tea.KeyPressMsg)
	return t.Text || isKey && (t.Letters || k.Text == "" || strings.Contains(t.Keys, k.Text))
}

// writes reports whether a message changes the text of a dialog.
func writes(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	return !ok || k.Text != "" || k.Code == tea.KeyBackspace || k.Code == tea.KeyEnter
}

// update passes a message to one dialog. If the dialog closes, its command runs before the next dialog opens.
func (s *Stack) update(d Dialog, msg tea.Msg) tea.Cmd {
	apply := func() (bool, tea.Cmd) { return d.Update(msg) }
	if result, ok := msg.(resultMsg); ok {
		if result.to != d {
			return nil
		}
		apply = result.apply
		if i := slices.IndexFunc(s.dialogs, func(x opened) bool { return x.Dialog == d }); i >= 0 && result.asks {
			s.dialogs[i].ready = s.alive.Add(readingTime)
		}
	}
	done, cmd := apply()
	if !done {
		return cmd
	}
	return tea.Sequence(cmd, s.close(func(x opened) bool { return x.Dialog == d }))
}

// CloseFor closes the dialogs of a turn or a server's question that no longer needs an answer.
func (s *Stack) CloseFor(asker any) tea.Cmd {
	return s.close(func(x opened) bool { return x.Traits().Asker == asker })
}

// close closes dialogs, and reports it.
func (s *Stack) close(which func(opened) bool) tea.Cmd {
	n := len(s.dialogs)
	if s.dialogs = slices.DeleteFunc(s.dialogs, which); len(s.dialogs) == n {
		return nil
	}
	return screen.Reply(Closed{})
}

// Asks reports whether a turn or a server waits for an answer.
func (s *Stack) Asks() bool {
	return slices.ContainsFunc(s.dialogs, func(x opened) bool { return x.Traits().Asker != nil })
}

// View draws the top dialog in at most height rows, and announces the next one.
func (s *Stack) View(width, height int, st *look.Look) []string {
	next := s.next()
	if next == "" || height < 4 { // an approval needs three rows to be read
		return s.Top().View(width, height, st)
	}
	words := st.Longest(width-4, next+" · opens when you close this", next+" · next")
	return append(s.Top().View(width, height-1, st), "  "+st.Warn.Render(st.Clip("● "+words, max(1, width-2))))
}

// next announces the next dialog that opened by itself, or returns "" if there is none below the top one.
func (s *Stack) next() string {
	for _, x := range slices.Backward(s.dialogs[:max(0, len(s.dialogs)-1)]) {
		if !x.byKey {
			return cmp.Or(x.Traits().Notice, "Another question")
		}
	}
	return ""
}
