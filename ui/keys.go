package ui

import "charm.land/bubbles/v2/key"

// keyMap is every key of the chat. Routing and /help read the same table.
type keyMap struct {
	send, newline, stop, leave, leaveEmpty, goOn    key.Binding
	pageUp, pageDown, top, bottom, first, last      key.Binding
	copy, pager, mouse, details, thinking           key.Binding
	suspend, redraw, previous, next, complete, back key.Binding
}

func newKeyMap() keyMap {
	bind := func(help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keys[0], help))
	}
	return keyMap{
		send:       bind("send; while an answer runs: put in line", "enter"),
		newline:    bind("new line; also alt+enter, shift+enter", "ctrl+j", "alt+enter", "shift+enter"),
		previous:   bind("earlier questions, from the first line", "up"),
		next:       bind("later questions, from the last line", "down"),
		complete:   bind("complete a command, a prompt or a resource", "tab"),
		stop:       bind("stop the answer; what is there stays", "esc"),
		goOn:       bind("go on after a stop, with fresh limits", "ctrl+g"),
		back:       bind("empty line: take back what waits in line", "backspace"),
		pageUp:     bind("scroll up; also the wheel", "pgup"),
		pageDown:   bind("scroll down", "pgdown"),
		top:        bind("to the beginning; home when the line is empty", "ctrl+home"),
		bottom:     bind("to the end; end when the line is empty", "ctrl+end"),
		first:      key.NewBinding(key.WithKeys("home")),
		last:       key.NewBinding(key.WithKeys("end")),
		details:    bind("unfold or fold tool calls and long questions", "ctrl+x"),
		thinking:   bind("unfold or fold reasoning", "ctrl+r"),
		copy:       bind("copy the last answer", "ctrl+y"),
		pager:      bind("the whole conversation in the pager", "ctrl+o"),
		mouse:      bind("give the mouse to the terminal, to select; again takes it back", "ctrl+t"),
		redraw:     bind("draw the screen again", "ctrl+l"),
		suspend:    bind("to the shell; fg comes back", "ctrl+z"),
		leave:      bind("clear the line or stop; twice leaves", "ctrl+c"),
		leaveEmpty: bind("empty line: leave", "ctrl+d"),
	}
}

// rows are the keys in the order in which /help shows them.
func (k keyMap) rows() []key.Binding {
	return []key.Binding{
		k.send, k.newline, k.previous, k.next, k.complete, k.stop, k.goOn, k.back, k.pageUp, k.pageDown, k.top, k.bottom,
		k.details, k.thinking, k.copy, k.pager, k.mouse, k.redraw, k.suspend, k.leave, k.leaveEmpty,
	}
}
