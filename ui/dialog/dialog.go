// Package dialog has the dialogs that replace the composer: approvals, questions of servers, lists and pages.
//
// Stack shows the top one and decides which keys count as answers. Most dialogs are a list, a page or a form. A line is
// one line of text that you edit. Each dialog has its own file and sends requests as messages. No dialog depends on the
// chat.
package dialog

import (
	"cmp"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Dialog replaces the composer while it is open. Base implements all methods except Update and View.
type Dialog interface {
	// Update handles keys and pastes while the dialog is on top, and every message that the chat does not handle, except
	// those of commands for one dialog. done closes the dialog.
	Update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// View draws at most height rows.
	View(width, height int, st *look.Look) []string
	// Answers reports whether the dialog uses a letter. Any other letter begins your next question.
	Answers(letter string) bool
	// Writes reports whether text can be pasted into the dialog now.
	Writes() bool
	// Waits describes the dialog while it is below another one.
	Waits() string
	// About returns the turn or the server's question that waits for the answer, or nil if you opened the dialog.
	About() any
}

// Base is embedded by dialogs.
type Base struct {
	about any
	waits string
}

// Answers implements Dialog.
func (b *Base) Answers(string) bool { return true }

// Writes implements Dialog.
func (b *Base) Writes() bool { return false }

// Waits implements Dialog.
func (b *Base) Waits() string { return cmp.Or(b.waits, "Another question") }

// About implements Dialog.
func (b *Base) About() any { return b.about }

type (
	// Meant wraps a message caused by a key. A dialog that it opens accepts every key at once.
	Meant struct{ Msg tea.Msg }
	// Closed reports that a dialog was closed.
	Closed struct{}
	// Warning is a sentence for the transcript.
	Warning struct{ Text string }

	// ownMsg changes one dialog, if it is still open, with the result of its command. done closes the dialog.
	ownMsg struct {
		to    Dialog
		apply func() (done bool, cmd tea.Cmd)
	}
)

// reply makes a command of a message.
func reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

func flash(text string) tea.Cmd { return reply(screen.Flash{Text: text}) }

// pasted returns a flash if a pasted text was rejected.
func pasted(taken bool) tea.Cmd {
	if taken {
		return nil
	}
	return flash(fmt.Sprintf("Not pasted: a field takes at most %d MB", elicit.LongestTyped>>20))
}

// Sentence returns an error as one or two sentences: the failure, then what to try.
func Sentence(err error) string {
	text := look.Sentence(sanitize.Text(err.Error()))
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint != "" {
		text += " " + look.Sentence(sanitize.Text(e.Hint))
	}
	return text
}
