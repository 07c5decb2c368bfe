package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
)

// longestFilter is how many bytes can be searched for: as many as the longest path of a folder has.
const longestFilter = 4096

// row is one line of a list.
type row struct {
	look.Item
	also string  // is searched, but not shown
	pick tea.Msg // goes up when the row is chosen
}

// list is something to choose from. Typing narrows it down.
type list struct {
	Base
	title  string
	text   string // a sentence above the rows, or ""
	rows   []row
	seen   look.List // of those that fit what was typed
	typed  string
	moved  bool // the cursor, since something was typed
	fits   look.Memo[search, []int]
	empty  string   // what is shown while there are no rows
	keys   []string // what can be done, from long to short
	typing string   // the same while a space is typed, too; "": keys
	fixed  bool     // the rows are few and are not searched; letters do nothing

	// other makes a row of what was typed, unless that is in the list; nil: there is none.
	other func(typed string) (r row, ok bool)
	// toggle, if not nil, is called for the row in place of closing; it brings the rows up to date.
	toggle func(i int) tea.Cmd
}

// search is what the rows that fit are found from: there may be thousands.
type search struct {
	rows  *row
	n     int
	typed string
}

// shown are the indices of the rows that fit what was typed; len(rows) stands for the other one.
func (l *list) shown() []int {
	from := search{n: len(l.rows), typed: l.typed}
	if from.n > 0 {
		from.rows = &l.rows[0]
	}
	return l.fits.Of(from, l.search)
}

func (l *list) search() []int {
	var out []int
	want := strings.ToLower(l.typed)
	for i, r := range l.rows {
		if want == "" || strings.Contains(strings.ToLower(r.Label+" "+r.also+" "+r.Detail), want) {
			out = append(out, i)
		}
	}
	if l.other != nil && want != "" {
		if _, ok := l.other(l.typed); ok {
			out = append(out, len(l.rows))
		}
	}
	return out
}

func (l *list) row(i int) row {
	if i < len(l.rows) {
		return l.rows[i]
	}
	r, _ := l.other(l.typed)
	return r
}

// chosen is the row under the cursor; -1 if there is none.
func (l *list) chosen() int {
	if shown := l.shown(); l.seen.At < len(shown) {
		return shown[l.seen.At]
	}
	return -1
}

// Answers: a list that is not searched has no use for letters.
func (l *list) Answers(string) bool { return !l.fixed }

func (l *list) Writes() bool { return !l.fixed }

func (l *list) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if len(l.typed)+len(msg.Content) > longestFilter {
			return false, flash("Too long for this line: not pasted")
		}
		l.narrow(l.typed + sanitize.Line(msg.Content))
	case tea.KeyPressMsg:
		return l.key(msg)
	}
	return false, nil
}

func (l *list) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch k.String() {
	case "esc":
		return true, nil
	case "enter":
		return l.choose()
	case "up", "ctrl+p":
		l.goTo(l.seen.At - 1)
	case "down", "ctrl+n", "tab":
		l.goTo(l.seen.At + 1)
	case "pgup":
		l.goTo(l.seen.At - 8)
	case "pgdown":
		l.goTo(l.seen.At + 8)
	case "home":
		l.goTo(0)
	case "end":
		l.goTo(len(l.shown()) - 1)
	case "space":
		if l.switches() {
			return l.choose()
		}
		l.narrow(l.typed + " ")
	case "ctrl+u":
		l.narrow("")
	case "backspace":
		if r := []rune(l.typed); len(r) > 0 {
			l.narrow(string(r[:len(r)-1]))
		}
	default:
		l.narrow(l.typed + sanitize.Line(k.Text))
	}
	return false, nil
}

// switches reports whether a space switches a row: what is being typed may have spaces, and the row that fits it best
// was not chosen yet.
func (l *list) switches() bool {
	return l.toggle != nil && (l.typed == "" || l.moved && l.other == nil)
}

func (l *list) goTo(at int) {
	l.seen.At, l.moved = max(0, min(at, len(l.shown())-1)), true
}

func (l *list) narrow(typed string) {
	if !l.fixed && typed != l.typed {
		l.typed, l.seen.At, l.moved = typed, 0, false
	}
}

func (l *list) choose() (done bool, cmd tea.Cmd) {
	switch i := l.chosen(); {
	case i < 0:
		return false, nil
	case l.toggle != nil:
		return false, l.toggle(i)
	default:
		return true, reply(Meant{l.row(i).pick})
	}
}

func (l *list) View(width, height int, st *look.Look) []string {
	head := []string{st.Title(l.title, "", width)}
	if l.text != "" && height > 5 {
		head = append(st.Prose(head, l.text, width, st.Text.Render), "")
	}
	if l.typed != "" {
		typed := input.Line{Text: l.typed}
		head = append(head, "  "+st.Dim.Render("filter ")+typed.View(max(1, width-9), st))
	}
	rows := l.draw(width, max(1, height-len(head)-2), st)
	if len(head)+len(rows) > height { // too small for both: the choice comes first
		head = head[:max(0, min(1, height-len(rows)))]
	}
	hint := st.Longest(width-2, l.keys...)
	if l.typing != "" && !l.switches() {
		hint = l.typing
	}
	return st.WithHint(append(head, rows...), hint, width, height)
}

// draw draws a part of the rows, with the chosen one among them.
func (l *list) draw(width, height int, st *look.Look) []string {
	shown := l.shown()
	switch {
	case len(shown) > 0:
		return l.seen.View(len(shown), func(i int) look.Item { return l.row(shown[i]).Item }, width, height, st)
	case l.typed == "":
		return []string{"  " + st.Dim.Render(l.empty)}
	}
	return []string{st.Hint("nothing fits "+l.typed, width)}
}

// has reports whether a list has a row like that.
func (l *list) has(is func(row) bool) bool { return slices.ContainsFunc(l.rows, is) }
