package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// longestFilter is the maximum length of a filter, in bytes.
const longestFilter = 4096

// row is one line of a list. A heading cannot be chosen.
type row struct {
	look.Item
	id   string  // keeps the cursor on the row when the rows change
	also string  // part of the search, but not shown
	head bool    // the rows after it, up to the next head, belong to it, and are shown below it; so is a heading
	pick tea.Msg // sent if the row is chosen
}

// act is what a key does with the chosen row.
type act struct {
	key  string
	does string // for the hint: "to restart"
	run  func(i int) tea.Cmd
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

	given  []row         // changed by set
	rows   []row         // those, and the one for the typed text
	shown  []fuzzy.Match // the rows that match the filter
	seen   look.List
	widths look.Memo[ansi.Method, look.Columns]
	types  bool // letters write the filter of a list that is keyed
	typed  line

	other    func(typed string) (row, bool) // a last row for a typed text, if ok; nil for none
	describe func(i int) *page              // enter shows the details of a row; nil means that it chooses the row
	details  *page                          // shown instead of the list; nil if none
}

// set changes the rows. The cursor stays on its row, which does not move on the screen.
func (l *list) set(rows []row) {
	id, at := "", l.seen.At
	if i := l.chosen(); i >= 0 {
		id = l.rows[i].id
	}
	for i := range rows {
		rows[i].Label = sanitize.Line(rows[i].Label) // marks are for what is shown
	}
	l.given, l.widths = rows, look.Memo[ansi.Method, look.Columns]{}
	l.find()
	if i := slices.IndexFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].id == id }); i >= 0 {
		l.seen.At = i
	}
	l.move(l.seen.At)
	l.seen.First += l.seen.At - at
}

// find finds the rows that match the filter, with the cursor on the best one. The group of the best match is first,
// below its head, and in each group the best match.
func (l *list) find() {
	l.rows, l.seen.At = slices.Clip(l.given), 0
	l.shown = fuzzy.Find(l.typed.Text, len(l.rows), func(i int) string { return l.rows[i].Label },
		func(i int) string { return l.rows[i].also + " " + l.rows[i].Detail })
	if strings.TrimSpace(l.typed.Text) != "" {
		l.group()
	}
	if l.other != nil && l.typed.Text != "" {
		if r, ok := l.other(l.typed.Text); ok {
			l.shown = append(l.shown, fuzzy.Match{Index: len(l.rows)})
			l.rows = append(l.rows, r)
		}
	}
	l.move(l.seen.At)
}

// group orders the matches by group.
func (l *list) group() {
	l.shown = slices.DeleteFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].Heading })
	heads, head := make([]int, len(l.rows)), -1 // the head of each row
	for i, r := range l.rows {
		if r.head || r.Heading {
			head = i
		}
		heads[i] = head
	}
	if head < 0 || len(l.shown) == 0 {
		return
	}
	best, places := l.shown[0].Index, map[int]int{} // the places of the groups, by their heads
	for _, m := range l.shown {
		if head := heads[m.Index]; places[head] == 0 {
			places[head] = len(places) + 1
		}
	}
	for head := range places {
		if head >= 0 {
			l.shown = append(l.shown, fuzzy.Match{Index: head})
		}
	}
	below := func(m fuzzy.Match) int { return min(m.Index-heads[m.Index], 1) } // 0 for a head
	slices.SortStableFunc(l.shown, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(places[heads[a.Index]], places[heads[b.Index]]), cmp.Compare(below(a), below(b)))
	})
	l.shown = slices.CompactFunc(l.shown, func(a, b fuzzy.Match) bool { return a.Index == b.Index })
	l.seen.At = slices.IndexFunc(l.shown, func(m fuzzy.Match) bool { return m.Index == best })
}

// chosen returns the index of the row under the cursor, or -1.
func (l *list) chosen() int {
	if l.seen.At < len(l.shown) && !l.rows[l.shown[l.seen.At].Index].Heading {
		return l.shown[l.seen.At].Index
	}
	return -1
}

// move moves the cursor to a row. It skips headings.
func (l *list) move(to int) {
	steps := []int{1, -1}
	if to < l.seen.At {
		steps = []int{-1, 1}
	}
	to = max(0, min(to, len(l.shown)-1))
	for _, step := range steps {
		at := to
		for at >= 0 && at < len(l.shown) && l.rows[l.shown[at].Index].Heading {
			at += step
		}
		if at >= 0 && at < len(l.shown) {
			to = at
			break
		}
	}
	l.seen.At = to
}

// Traits implements Dialog.
func (l *list) Traits() Traits {
	return Traits{Text: l.filter != "" && (!l.keyed || l.types) && l.details == nil, Letters: l.keyed}
}

func (l *list) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if l.details != nil {
		if done, _ := l.details.Update(msg); done {
			l.details = nil
		}
		return false, nil
	}
	key := keyOf(msg)
	i := slices.IndexFunc(l.acts, func(a act) bool { return a.key == key })
	cursor := look.Scroller{From: l.seen.At, Page: 9}
	switch {
	case key == "esc" && (l.typed.Text != "" || l.types):
		l.types = false
		l.typed.Text = ""
		l.find()
	case key == "esc", key == "ctrl+c", key == "q" && l.keyed && !l.types:
		if l.left != nil {
			cmd = screen.Reply(l.left)
		}
		return true, cmd
	case key == "enter" && l.types:
		l.types = false
	case key == "enter":
		return l.choose()
	case key == "tab":
		l.move(l.seen.At + 1)
	case cursor.Scroll(key):
		l.move(cursor.From)
	case i >= 0 && !(l.types && len(key) == 1):
		if row := l.chosen(); row >= 0 {
			return false, l.acts[i].run(row)
		}
	case key == "/" && l.filter != "" && l.keyed && !l.types:
		l.types = true
	case l.filter != "" && (!l.keyed || l.types):
		return false, l.write(msg)
	}
	return false, nil
}

// write changes the filter.
func (l *list) write(msg tea.Msg) tea.Cmd {
	before := l.typed.Text
	l.typed.most = longestFilter
	cmd := l.typed.Update(msg)
	if l.typed.Text != before {
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
	where := ""
	if n := len(l.shown); n > room {
		where = fmt.Sprintf("%s%d–%d of %s", look.Scrolls, l.seen.First+1, l.seen.First+room, look.Thousands(n))
	}
	head[0] = st.Title(l.title, where, width)
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
	var acts []string
	for _, a := range l.acts {
		acts = append(acts, a.key+" "+a.does)
	}
	all := look.Dotted(acts...)
	forms := []string{look.Dotted(enter, all, esc), look.Dotted(enter, all, "esc")}
	for n := len(acts); n > 0; n-- {
		forms = append(forms, look.Dotted(look.Dotted(acts[:n]...), "esc"))
	}
	return append(forms, enter+" · esc", "enter · esc")
}

// draw draws the rows that are in view.
func (l *list) draw(width, height int, st *look.Look) []string {
	switch {
	case len(l.shown) > 0:
		item := func(i int) look.Item {
			m := l.shown[i]
			item := l.rows[m.Index].Item
			item.Marks = m.Letters(item.Label)
			return item
		}
		return l.seen.View(len(l.shown), item, l.columns(st), width, height, st)
	case l.typed.Text == "":
		rows := st.Prose(nil, l.empty, width, st.Dim.Render)
		return rows[:min(len(rows), height)]
	}
	return []string{st.Hint("no match for "+l.typed.Text, width)}
}

// columns returns the widths of the columns, which a filter does not change.
func (l *list) columns(st *look.Look) look.Columns {
	c := l.widths.Of(st.Method, func() (c look.Columns) {
		for _, r := range l.given {
			c.Add(r.Item, st.Method)
		}
		return c
	})
	for _, r := range l.rows[len(l.given):] {
		c.Add(r.Item, st.Method)
	}
	return c
}
