package dialog

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// longestFilter is the maximum length of a filter, in bytes.
const longestFilter = 4096

// row is one line of a list. A heading is above other rows.
type row struct {
	look.Item
	id   string  // keeps the cursor on the row when the rows change
	of   string  // its group, which is shown before the detail while a filter leaves out the headings
	also string  // part of the search, but not shown
	pick tea.Msg // sent if the row is chosen
}

// act is what a key does with the chosen row.
type act struct {
	key  string
	does string              // for the hint: "to restart"
	run  func(i int) tea.Cmd // nil if the dialog around the list handles the key, with or without a row
}

// list is a list of choices. Typing filters it, with the best match first.
type list struct {
	title  string
	text   string  // shown above the rows
	empty  string  // shown if there are no rows
	filter string  // what typing does: "type to filter"; "" if it does nothing
	enter  string  // what enter does: "to use"
	acts   []act   // the most important first
	keyed  bool    // letters are keys of actions, and "/" begins to filter
	left   tea.Msg // sent if the list is closed without a choice; nil for none

	given   []row // changed by set
	columns look.Columns
	rows    []row         // those, and the one for the typed text
	shown   []fuzzy.Match // the rows that match the filter
	seen    look.List
	hides   bool // rows are out of view
	types   bool // letters write the filter of a list that is keyed
	writing bool // the last key wrote the filter, so that a space belongs to it too
	typed   line

	other    func(typed string) (row, bool) // a last row for a typed text, if ok; nil for none
	describe func(i int) *page              // enter shows the details of a row; nil means that it chooses the row
	details  *page                          // shown instead of the list; nil if none
	can      func(key string, i int) bool   // reports whether a row has an action; nil means that all have all
}

// set changes the rows. The cursor stays on its row, which does not move on the screen.
func (l *list) set(rows []row) {
	id, at := "", l.seen.At
	if i := l.chosen(); i >= 0 {
		id = l.rows[i].id
	}
	l.given, l.columns = rows, look.Columns{}
	for i := range rows {
		rows[i].Label = sanitize.Line(rows[i].Label) // marks are for what is shown
		l.columns.Add(rows[i].Item)
	}
	l.find()
	l.seen.At = at
	if i := slices.IndexFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].id == id }); i >= 0 {
		l.seen.At = i
	}
	l.move(l.seen.At)
	l.seen.First += l.seen.At - at
}

// find finds the rows that match the filter, the best one first, and chooses that. There are no groups then.
func (l *list) find() {
	l.rows = slices.Clip(l.given)
	l.shown = fuzzy.Find(l.typed.Text, len(l.rows), func(i int) string { return l.rows[i].Label }, func(i int) string {
		return l.rows[i].of + " " + l.rows[i].also + " " + l.rows[i].Detail
	})
	if l.typed.Text != "" {
		l.shown = slices.DeleteFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].Heading })
	}
	if l.other != nil && l.typed.Text != "" {
		if r, ok := l.other(l.typed.Text); ok {
			l.shown = append(l.shown, fuzzy.Match{Index: len(l.rows)})
			l.rows = append(l.rows, r)
		}
	}
	l.seen.At = 0
	l.move(0)
}

// chosen returns the index of the row under the cursor, or -1.
func (l *list) chosen() int {
	if l.seen.At < len(l.shown) && !l.rows[l.shown[l.seen.At].Index].Heading {
		return l.shown[l.seen.At].Index
	}
	return -1
}

// move moves the cursor to a row. It skips a heading.
func (l *list) move(to int) {
	step, last := 1, max(0, len(l.shown)-1)
	if to < l.seen.At && to > 0 {
		step = -1
	}
	if l.seen.At = max(0, min(to, last)); l.chosen() < 0 {
		l.seen.At = min(l.seen.At+step, last)
	}
}

// Traits implements Dialog.
func (l *list) Traits() Traits {
	return Traits{Text: l.filter != "" && (!l.keyed || l.types) && l.details == nil, Letters: l.keyed}
}

func (l *list) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if l.details != nil {
		if done, cmd = l.details.Update(msg); done {
			l.details = nil
		}
		return false, cmd
	}
	key := keyOf(msg)
	possible := l.possible()
	i := slices.IndexFunc(possible, func(a act) bool { return a.key == key && !(l.writing && key == "space") })
	cursor := look.Scroller{From: l.seen.At, Page: 9}
	switch {
	case key == "esc" && (l.typed.Text != "" || l.types):
		l.types, l.writing, l.typed.Text = false, false, ""
		l.set(l.given)
	case key == "esc", key == "ctrl+c", key == "q" && l.keyed && !l.types:
		if l.left != nil {
			cmd = screen.Reply(l.left)
		}
		return true, cmd
	case key == "enter" && l.types:
		l.types, l.writing = false, false
	case key == "enter":
		return l.choose()
	case key == "tab":
		l.writing = false
		l.move(l.seen.At + 1)
	case cursor.Scroll(key):
		l.writing = false
		l.move(cursor.From)
	case i >= 0 && !l.types:
		return false, possible[i].run(l.chosen())
	case key == "/" && l.filter != "" && l.keyed && !l.types:
		l.types = true
	case l.filter != "" && (!l.keyed || l.types):
		return false, l.write(msg)
	}
	return false, nil
}

// Wheel scrolls the details, or moves the cursor of a list that does not fit on the screen. It reports whether it did.
func (l *list) Wheel(rows int) bool {
	if l.details != nil {
		return l.details.Wheel(rows)
	}
	if l.hides {
		l.move(l.seen.At + rows)
	}
	return l.hides
}

// possible returns the actions of the chosen row.
func (l *list) possible() (acts []act) {
	for _, a := range l.acts {
		i := l.chosen()
		if a.run == nil || i >= 0 && (l.can == nil || l.can(a.key, i)) {
			acts = append(acts, a)
		}
	}
	return acts
}

// write changes the filter.
func (l *list) write(msg tea.Msg) tea.Cmd {
	before := l.typed.Text
	l.typed.most = longestFilter
	cmd := l.typed.Update(msg)
	if l.typed.Text != before {
		l.writing = l.typed.Text != ""
		l.find()
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
	head := []string{""} // the title
	if l.text != "" && height > 5 {
		head = append(st.Prose(head, l.text, width, st.Text.Render), "")
	}
	roomy := l.filter != "" && height >= 8
	switch {
	case l.typed.Text != "" || l.types:
		head = append(head, l.typed.filter(width, st))
	case roomy:
		head = append(head, st.Hint(l.filter, width))
	}
	if roomy {
		head = append(head, "")
	}
	room := max(1, height-len(head)-2)
	rows := l.draw(width, room, st)
	if l.filter != "" { // a filter moves nothing
		rows = append(rows, make([]string, max(0, min(len(l.given), room)-len(rows)))...)
	}
	where, n := "", len(l.shown)
	if l.hides = n > room; l.hides && width >= 40 {
		where = fmt.Sprintf("%s%d–%d of %s", look.Scrolls, l.seen.First+1, l.seen.First+room, look.Thousands(n))
	}
	title := l.title
	for at := 1; at > 0 && where != "" && st.Method.StringWidth(title+where) > width-7; { // the last parts matter least
		if at = strings.LastIndex(title, " · "); at > 0 {
			title = title[:at]
		}
	}
	head[0] = st.Title(title, where, width)
	if len(head)+len(rows) > height { // the rows are more important
		head = head[:max(0, min(1, height-len(rows)))]
	}
	return st.WithHint(append(head, rows...), st.Longest(width-2, l.hints()...), width, height)
}

// hints returns what the keys do, from long to short.
func (l *list) hints() []string {
	enter, esc := "enter "+l.enter, "esc to close"
	switch {
	case l.types:
		return []string{"enter to keep the filter · esc to clear it", "enter · esc"}
	case l.typed.Text != "":
		esc = "esc to clear the filter"
	case l.left != nil:
		esc = "esc to go back"
	case l.filter == "" && l.acts == nil:
		return []string{"↑↓ to choose · " + enter, enter, "enter · esc"}
	}
	acts, forms := "", []string{enter + " · esc", "enter · esc"}
	if l.chosen() < 0 && l.other == nil { // there is nothing to choose
		enter, forms = "", []string{"esc"}
	}
	for _, a := range l.possible() {
		if a.key == "space" && l.writing {
			a.key = "↓ space"
		}
		acts = look.Dotted(acts, a.key+" "+a.does)
		forms = slices.Insert(forms, 0, look.Dotted(acts, "esc"))
	}
	return append([]string{look.Dotted(enter, acts, esc), look.Dotted(enter, acts, "esc")}, forms...)
}

// draw draws the rows that are in view. A filter does not change the columns.
func (l *list) draw(width, height int, st *look.Look) []string {
	switch {
	case len(l.shown) > 0:
		columns := l.columns
		for _, r := range l.rows[len(l.given):] {
			columns.Add(r.Item)
		}
		return l.seen.View(len(l.shown), l.item, columns, width, height, st)
	case len(l.given) == 0:
		rows := st.Prose(nil, l.empty, width, st.Dim.Render)
		return rows[:min(len(rows), height)]
	}
	return []string{st.Hint("no match for "+l.typed.Text, width)}
}

// item returns a row as it is shown.
func (l *list) item(i int) look.Item {
	r := l.rows[l.shown[i].Index]
	r.Marks = l.shown[i].Letters(r.Label)
	if l.typed.Text != "" {
		r.Depth, r.Detail = 0, look.Dotted(r.of, r.Detail)
	}
	return r.Item
}
