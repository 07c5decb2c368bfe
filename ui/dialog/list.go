package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// longestFilter is the maximum length of a filter, in bytes.
const longestFilter = 4096

// row is one line of a list.
type row struct {
	look.Item
	id   string  // keeps the cursor on the row when the rows change
	also string  // part of the search, but not shown
	pick tea.Msg // sent if the row is chosen
}

// list is a list of choices. Typing filters it.
type list struct {
	title string
	text  string   // shown above the rows
	empty string   // shown if there are no rows
	keys  []string // the hint, from long to short
	fixed bool     // typing does not filter the list
	left  tea.Msg  // sent if the list is closed without a choice; nil for none
	given []row    // changed by set
	rows  []row    // those, and the one for the typed text
	shown []int    // the rows that match the filter
	seen  look.List
	typed line

	other    func(typed string) (row, bool) // a last row for a typed text, if ok; nil for none
	describe func(i int) *page              // enter shows the details of a row; nil means that it chooses the row
	details  *page                          // shown instead of the list; nil if none
	acts     map[string]func(i int) tea.Cmd // keys that do something with a row
}

// set changes the rows. The cursor stays on its row, which does not move on the screen.
func (l *list) set(rows []row) {
	id, at := "", l.seen.At
	if i := l.chosen(); i >= 0 {
		id = l.rows[i].id
	}
	l.given = rows
	l.filter()
	if i := slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].id == id }); i >= 0 {
		l.seen.At = i
	}
	l.seen.At = max(0, min(l.seen.At, len(l.shown)-1))
	l.seen.First += l.seen.At - at
}

// filter finds the rows that match the filter.
func (l *list) filter() {
	l.rows, l.shown = slices.Clip(l.given), nil
	if l.other != nil && l.typed.Text != "" {
		if r, ok := l.other(l.typed.Text); ok {
			l.rows = append(l.rows, r)
		}
	}
	want := strings.ToLower(l.typed.Text)
	for i, r := range l.rows {
		if want == "" || strings.Contains(strings.ToLower(r.Label+" "+r.also+" "+r.Detail), want) {
			l.shown = append(l.shown, i)
		}
	}
}

// chosen returns the index of the row under the cursor, or -1.
func (l *list) chosen() int {
	if l.seen.At < len(l.shown) {
		return l.shown[l.seen.At]
	}
	return -1
}

// Traits implements Dialog.
func (l *list) Traits() Traits { return Traits{Text: !l.fixed && l.details == nil} }

func (l *list) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if l.details != nil {
		if done, _ := l.details.Update(msg); done {
			l.details = nil
		}
		return false, nil
	}
	switch key := keyOf(msg); key {
	case "esc", "ctrl+c":
		if l.left != nil {
			cmd = screen.Reply(l.left)
		}
		return true, cmd
	case "enter":
		return l.choose()
	case "tab":
		return l.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	default:
		cursor := look.Scroller{From: l.seen.At, Page: 9}
		switch {
		case cursor.Scroll(key):
			l.seen.At = max(0, min(cursor.From, len(l.shown)-1))
		case l.acts[key] != nil:
			if i := l.chosen(); i >= 0 {
				return false, l.acts[key](i)
			}
		default:
			return false, l.write(msg)
		}
	}
	return false, nil
}

// write changes the filter.
func (l *list) write(msg tea.Msg) tea.Cmd {
	if l.fixed {
		return nil
	}
	before := l.typed.Text
	l.typed.most = longestFilter
	cmd := l.typed.Update(msg)
	if l.typed.Text != before {
		l.seen.At = 0
		l.filter()
	}
	return cmd
}

func (l *list) choose() (done bool, cmd tea.Cmd) {
	switch i := l.chosen(); {
	case i < 0:
		return false, nil
	case l.describe != nil:
		l.details = l.describe(i)
		return false, nil
	default:
		return true, screen.Reply(ByKey{l.rows[i].pick})
	}
}

func (l *list) View(width, height int, st *look.Look) []string {
	if l.details != nil {
		return l.details.View(width, height, st)
	}
	head := []string{st.Title(l.title, "", width)}
	if l.text != "" && height > 5 {
		head = append(st.Prose(head, l.text, width, st.Text.Render), "")
	}
	if l.typed.Text != "" {
		head = append(head, "  "+st.Dim.Render("filter ")+l.typed.View(max(1, width-9), st))
	}
	rows := l.draw(width, max(1, height-len(head)-2), st)
	if len(head)+len(rows) > height { // the rows are more important
		head = head[:max(0, min(1, height-len(rows)))]
	}
	keys := st.Longest(width-2, append(slices.Clip(l.keys), "enter · esc")...)
	return st.WithHint(append(head, rows...), keys, width, height)
}

// draw draws the rows that are in view.
func (l *list) draw(width, height int, st *look.Look) []string {
	switch {
	case len(l.shown) > 0:
		return l.seen.View(len(l.shown), func(i int) look.Item { return l.rows[l.shown[i]].Item }, width, height, st)
	case l.typed.Text == "":
		rows := st.Prose(nil, l.empty, width, st.Dim.Render)
		return rows[:min(len(rows), height)]
	}
	return []string{st.Hint("no match for "+l.typed.Text, width)}
}
