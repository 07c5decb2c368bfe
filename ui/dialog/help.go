package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// help shows keys and commands. Typing filters them.
type help struct {
	*page
	pairs [][2]string // see NewHelp
	note  string
	typed line
	all   look.Memo[canvas, []string] // the rows without a filter
	back  func(tea.KeyPressMsg)       // gets a text that is not in the help; may be nil
}

// NewHelp returns the help: pairs of a key or command and what it does, and titles, which are pairs without a second.
// back, unless it is nil, gets a text that you typed and that is not in the help, if you press enter.
func NewHelp(pairs [][2]string, note string, back func(tea.KeyPressMsg)) Dialog {
	h := &help{pairs: pairs, note: note, back: back, typed: line{most: longestFilter}}
	h.page = newText("Help", h.draw)
	return h
}

// Traits implements Dialog.
func (h *help) Traits() Traits { return Traits{Text: true} }

func (h *help) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	before := h.typed.Text
	switch key := keyOf(msg); {
	case key == "esc" && before != "":
		h.typed.Text = ""
	case key == "enter" && h.back != nil && len(h.shown()) == 0:
		h.back(tea.KeyPressMsg{Text: before})
		return true, nil
	case key == "esc", key == "enter", key == "ctrl+c":
		return true, nil
	case !h.Scroll(key):
		cmd = h.typed.Update(msg)
	}
	if h.typed.Text != before {
		h.From, h.drawn = 0, look.Memo[canvas, []string]{}
	}
	return false, cmd
}

// shown returns the pairs that match the filter, with the titles above them.
func (h *help) shown() (pairs [][2]string) {
	want, title := strings.ToLower(strings.TrimSpace(h.typed.Text)), [2]string{}
	for _, p := range h.pairs {
		if p[1] == "" {
			title = p
		} else if strings.Contains(strings.ToLower(title[0]+" "+p[0]+" "+p[1]), want) {
			if !slices.Contains(pairs, title) {
				pairs = append(pairs, title)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func (h *help) View(width, height int, st *look.Look) []string {
	filter, does := st.Hint("type to filter", width), "to close"
	if h.typed.Text != "" {
		filter, does = h.typed.filter(width, st), "to clear the filter"
	}
	h.answers[0].words = does
	if height >= 8 {
		return slices.Insert(h.page.View(width, height-2, st), 1, filter, "")
	}
	rows := h.page.View(width, height, st)
	if h.typed.Text != "" && len(rows) > 1 { // in place of the title
		rows[0] = filter
	}
	return rows
}

// draw draws the rows that match, with the note if all of them do.
func (h *help) draw(width int, st *look.Look) []string {
	all := h.all.Of(canvas{width, *st}, func() []string {
		return st.Prose(append(columns(h.pairs, width, st), ""), h.note, width, st.Dim.Render)
	})
	h.least = len(all)
	shown := h.shown()
	switch {
	case h.typed.Text == "":
		return all
	case len(shown) > 0:
		return columns(shown, width, st)
	case h.back != nil:
		return []string{st.Hint("no match · enter puts the text into your draft", width)}
	}
	return []string{st.Hint("no match", width)}
}

// columns draws pairs, in two columns of about the same height if there is room. The second begins with a title.
func columns(pairs [][2]string, width int, st *look.Look) []string {
	if width < 100 {
		return st.Columns(pairs, width)[1:] // without the empty row above the first title
	}
	rows := st.Columns(pairs, width/2)[1:]
	cut := len(rows)
	for i, row := range rows {
		if row == "" && max(i, len(rows)-1-i) < max(cut, len(rows)-1-cut) {
			cut = i
		}
	}
	left, right := rows[:cut:cut], rows[min(cut+1, len(rows)):]
	for i, row := range right {
		if i == len(left) {
			left = append(left, "")
		}
		left[i] += strings.Repeat(" ", max(0, width/2-st.Method.StringWidth(left[i]))) + row
	}
	return left
}
