// Package dialog has the dialogs that replace the composer: approvals, questions of servers, lists and pages.
//
// Stack shows the top one and decides which keys count as answers. Most dialogs are a list, a page or a form. A line is
// one line of text that you edit. Each dialog has its own file and sends requests as messages. No dialog depends on the
// chat.
package dialog

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
)

// Dialog replaces the composer while it is open.
type Dialog interface {
	// Update handles keys and pastes while the dialog is on top, and every message that the chat does not handle, except
	// those of commands for one dialog. esc and ctrl+c close it. done reports that it has closed.
	Update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// View draws at most height rows.
	View(width, height int, st *look.Look) []string
	// Traits returns how to treat the dialog now.
	Traits() Traits
}

// Traits are how to treat a dialog. Keys that it does not use begin your next question, unless you opened the dialog.
type Traits struct {
	Keys    string // the letters that it uses
	Letters bool   // it uses every letter
	Text    bool   // text can be typed and pasted into it
	Asker   any    // the turn or the server's question that waits for the answer; nil if you opened the dialog
	Notice  string // announces the dialog while it is below another one; "" for a general text
}

type (
	// ByKey wraps a message caused by a key. A dialog that it opens accepts every key at once.
	ByKey struct{ Msg tea.Msg }
	// Closed reports that a dialog was closed.
	Closed struct{}
	// Warning is a sentence for the transcript.
	Warning struct{ Text string }

	// resultMsg has the result of a dialog's work, for which it calls apply, if the dialog is still open. done closes the
	// dialog.
	resultMsg struct {
		to    Dialog
		apply func() (done bool, cmd tea.Cmd)
		asks  bool // the dialog asks something now, which a key that came too early does not answer
	}
)

// result returns a message that changes a dialog, if it is still open.
func result(to Dialog, change func()) tea.Msg {
	return resultMsg{to: to, apply: func() (bool, tea.Cmd) {
		change()
		return false, nil
	}}
}

// keyOf returns the name of a key, or "" for another message.
func keyOf(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return k.String()
	}
	return ""
}

// Sentence returns an error as one or two sentences: the failure, then what to try.
func Sentence(err error) string {
	text := look.Sentence(sanitize.Text(err.Error()))
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint != "" {
		text += " " + look.Sentence(sanitize.Text(e.Hint))
	}
	return text
}
