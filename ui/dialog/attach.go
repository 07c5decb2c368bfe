package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// NewAttach asks before a file is read. why is "usually holds secrets", and send or leave is the answer.
func NewAttach(path, why string, send, leave tea.Msg) Dialog {
	return &page{
		notice: "A file needs your agreement",
		title:  "Attach this file?",
		draw: func(width int, st *look.Look) []string {
			out := st.Prose(nil, path, width, st.Strong.Render)
			return st.Prose(out, "It "+why+". The model reads it, and the session keeps it.", width, st.Warn.Render)
		},
		answers: []answer{
			{"y", "to attach and send", screen.Reply(send)},
			{"esc", "to go back to the draft", screen.Reply(leave)},
		},
	}
}
