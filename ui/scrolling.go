package ui

import (
	"io"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// scroll takes the keys that scroll, of which two move the cursor where something is being written.
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

// fold takes the keys that fold and unfold.
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
