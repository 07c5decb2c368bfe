package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// mouse scrolls, and selects text of the conversation, which it copies when the button is released.
type mouse struct {
	at      tea.Mouse
	pressed time.Time
	clicks  int  // at the same cell
	drags   bool // the button is down
	scrolls bool // a message that scrolls at the edge is on its way
}

// mouseMode returns what the terminal reports of the mouse.
func mouseMode(o Options) tea.MouseMode {
	if o.NoMouse {
		return tea.MouseModeNone
	}
	return tea.MouseModeCellMotion
}

const (
	nextClick  = 400 * time.Millisecond // the longest time between the clicks of a double click
	edgeScroll = 50 * time.Millisecond  // between two rows
)

// edge is the button of the message that scrolls while the mouse is held at an edge.
const edge = tea.MouseNone

func (p *mouse) update(msg tea.MouseMsg, dialogs *dialog.Stack, t *transcript.Transcript, now time.Time) tea.Cmd {
	at, before := msg.Mouse(), p.at
	switch msg.(type) {
	case tea.MouseWheelMsg:
		rows := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[at.Button]
		if rows != 0 && !dialogs.Wheel(rows) {
			t.Scroll(rows)
		}
	case tea.MouseClickMsg:
		if p.clicks++; now.Sub(p.pressed) > nextClick || at != before || p.clicks > 3 {
			p.clicks = 1
		}
		p.at, p.pressed = at, now
		p.drags = at.Button == tea.MouseLeft && dialogs.Top() == nil && t.Press(at.X, at.Y, p.clicks)
	case tea.MouseMotionMsg:
		if at.Button == edge {
			p.scrolls, at = false, before
		} else if p.at = at; at == before {
			return nil
		}
		if more := p.drags && t.Drag(at.X, at.Y, msg.Mouse().Button == edge); !more || p.scrolls {
			return nil
		}
		p.scrolls = true
		return tea.Tick(edgeScroll, func(time.Time) tea.Msg { return tea.MouseMotionMsg{Button: edge} })
	case tea.MouseReleaseMsg:
		if text := t.Selected(); p.drags && text != "" {
			p.drags = false
			return screen.Copy(text)
		}
		p.drags = false
	}
	return nil
}
