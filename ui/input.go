package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// key passes a key to the first that uses it: an action that is always possible, the top dialog, another action, the
// draft. A key that came too early to be an answer to the dialog works as without it: letters go to the draft, and esc
// stops the turn.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	m.transcript.Unselect()
	act, edits := m.chord.press(k, m.keys, m.prompt, m.dialogs.Top() != nil)
	if act != doCancel {
		m.footer.dropHint()
	}
	if m.dialogs.Top() != nil && (edits || !act.always()) {
		if taken, cmd := m.dialogs.Type(k, time.Now()); taken {
			return cmd
		}
		if act == doStop {
			m.stop()
			return nil
		}
		return typeBehind(k, act, m.prompt, &m.footer)
	}
	if taken, cmd := m.find.key(k, act, edits, m.transcript); taken {
		return cmd
	}
	if act == "" || edits && !m.prompt.Empty() {
		m.prompt.Key(k)
		return nil
	}
	return m.do(act, k)
}

// typeBehind types a key, if there is one, into the draft behind a dialog, and shows the end of the draft.
func typeBehind(k tea.KeyPressMsg, act action, prompt *composer.Composer, f *footer) tea.Cmd {
	const shown = 20
	if k == (tea.KeyPressMsg{}) {
		return nil
	}
	if act == doNewline && k.Text == "" {
		prompt.Newline()
	} else {
		prompt.Key(k)
	}
	if prompt.Empty() {
		return nil
	}
	draft := []rune(prompt.Value())
	if cut := len(draft) - shown; cut > 0 {
		draft = append([]rune("…"), draft[cut:]...)
	}
	return f.show("In your draft: " + string(draft) + " · pause to answer")
}

// do carries out the action of a key. An action that is not listed here is a slash command and its argument.
func (m *model) do(act action, k tea.KeyPressMsg) tea.Cmd {
	if taken, cmd := m.talk.queue.key(act, m.talk.busy(), m.prompt); taken {
		return cmd
	}
	if m.welcome.suggest(act, m.transcript.Empty(), m.talk.busy(), m.prompt, m.footer.servers) ||
		scroll(m.transcript, act) {
		return nil
	}
	if cmd, ok := edit(m.prompt, act); ok {
		return cmd
	}
	switch act {
	case doSend:
		return m.submit()
	case doStop:
		if m.prompt.Dismiss() {
			return nil
		}
		if !m.active() {
			return m.talk.escape(time.Now(), m.prompt, &m.dialogs, &m.footer)
		}
		m.stop()
	case doDetails:
		m.look.Details = !m.look.Details
		m.restyle()
	case doSuspend:
		return m.options.shell.Suspend(m.talk.chat.Suspend)
	case doCancel:
		return m.cancel()
	case doHelp:
		return explain(&m.dialogs, m.keys, &m.talk, m.status.newest, k, m.prompt)
	default:
		return m.parse(attach.Typed("/" + strings.ReplaceAll(string(act), "_", " ")))
	}
	return nil
}

// scroll carries out an action of the transcript, and reports whether act is one.
func scroll(t *transcript.Transcript, act action) bool {
	switch act {
	case doPageUp:
		t.Page(-1)
	case doPageDown:
		t.Page(1)
	case doTop:
		t.Home()
	case doBottom:
		t.End()
	case doPrevTurn:
		t.Turn(-1)
	case doNextTurn:
		t.Turn(1)
	case doPrevStep:
		t.Walk(-1)
	case doNextStep:
		t.Walk(1)
	default:
		return false
	}
	return true
}

// editing has the actions of the composer.
var editing = map[action]func(*composer.Composer){
	doNewline: (*composer.Composer).Newline, doComplete: func(c *composer.Composer) { c.Complete() },
	doEarlier: (*composer.Composer).Earlier, doLater: (*composer.Composer).Later,
	doSearch: (*composer.Composer).Search, doUndo: (*composer.Composer).Undo, doRedo: (*composer.Composer).Redo,
	doYank: (*composer.Composer).Yank, doYankPop: (*composer.Composer).YankEarlier,
	doNothing: func(*composer.Composer) {},
}

// edit carries out an action of the composer or the terminal, and reports whether act is one.
func edit(prompt *composer.Composer, act action) (cmd tea.Cmd, ok bool) {
	switch act {
	case doRedraw:
		return screen.Redraw(), true
	case doEditor:
		return openEditor(prompt), true
	case doPasteImage:
		return pasteImage(), true
	}
	change, ok := editing[act]
	if ok {
		change(prompt)
	}
	return nil, ok
}

// openEditor opens the draft in your editor, or only ends a search or the list of completions.
func openEditor(prompt *composer.Composer) tea.Cmd {
	if prompt.Dismiss() {
		return nil
	}
	draft := prompt.Value()
	return screen.Editor(draft, func(text string) tea.Msg {
		return composer.Change(func(p *composer.Composer) { p.Rewrite(draft, text) })
	})
}

// paste passes a text to the top dialog if it accepts one, else to the draft.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if taken, cmd := m.dialogs.Type(msg, time.Now()); taken {
		return cmd
	}
	m.footer.dropHint()
	return m.find.paste(msg, m.transcript, m.prompt)
}

// cancel closes a dialog, clears the draft or stops the turn. If there is nothing to cancel, it shows the hint to quit,
// and quits while that is shown. Pressed again while a turn is stopping, it does not wait for that.
func (m *model) cancel() tea.Cmd {
	top := m.dialogs.Top()
	asks := top != nil && m.talk.busy() && top.Traits().Asker == m.talk.turn
	if !asks {
		if taken, cmd := m.dialogs.Leave(time.Now()); taken {
			return cmd
		}
	}
	switch {
	case !asks && !m.prompt.Empty():
		back := m.prompt.Discard(m.keys.of(doEarlier, " brings the draft back"))
		return m.footer.hint(look.Dotted(m.nextCancel(), back))
	case m.active():
		m.stop()
		return m.footer.hint(m.nextCancel())
	case m.footer.flash == quitHint:
		return tea.Quit
	}
	return m.footer.hint(quitHint)
}

const quitHint = "Press ctrl+c again to quit"

// nextCancel says what the next ctrl+c does while no dialog is open.
func (m *model) nextCancel() string {
	switch {
	case !m.prompt.Empty():
		return "ctrl+c to clear the draft"
	case m.active():
		return "ctrl+c to stop the answer"
	}
	return "ctrl+c twice to quit"
}

// active reports whether there is something to stop.
func (m *model) active() bool { return m.talk.busy() && !m.stopping || m.resolver.active() }

// stop ends the running turn. The queue waits for you.
func (m *model) stop() {
	m.resolver.leave()
	if m.talk.busy() {
		m.talk.turn.cancel()
		m.stopping = true
	}
}

// occupied reports whether a question must be queued.
func (m *model) occupied() bool {
	return m.talk.busy() || m.resolver.active() || !m.models.ready()
}

// settling is how long enter on an empty line does nothing after a limit has ended a turn, because you may have pressed
// it for something else.
const settling = time.Second

// limitedAt returns the time if a limit ended a turn, or else zero.
func limitedAt(stop event.Stop, now time.Time) time.Time {
	if stop.ByLimit() {
		return now
	}
	return time.Time{}
}

// enterContinues reports whether enter on an empty line continues the last turn: a limit ended it, its end is in view,
// and you have had the time to see it.
func (m *model) enterContinues(now time.Time) bool {
	return m.talk.stopped() && !m.talk.limited.IsZero() && now.Sub(m.talk.limited) >= settling && !m.occupied() &&
		m.transcript.EndInView()
}
