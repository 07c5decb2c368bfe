package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// longestFilter is how many bytes are looked for at most: as many as the longest path of a folder has.
const longestFilter = 4096

// row is one line of a picker.
type row struct {
	label  string
	also   string // is searched for, but not shown
	detail string
	amount string  // numbers before the detail, all of a list of the same length
	badge  string  // before the label: "✓", "○"
	depth  int     // how far it is indented
	pick   tea.Msg // goes up when the row is chosen
}

// item is what is seen of it.
func (r row) item() look.Item {
	return look.Item{Label: r.label, Detail: r.detail, Amount: r.amount, Badge: r.badge, Depth: r.depth}
}

// picker is a list to choose from. Typing narrows it down.
type picker struct {
	title  string
	text   string // a sentence above the rows, or ""
	rows   []row
	at     int
	seen   look.List // of those that fit what was typed
	typed  string
	moved  bool // the cursor, since something was typed
	fits   look.Memo[searched, []int]
	empty  string // what is shown while there are no rows
	keys   string // what the last line says; "": the usual
	short  string // the same where that is too wide; "": it is cut
	typing string // what it says while a space is typed, too; "": the same

	// other makes a row of what was typed, for a name that is not in the list; nil: there is none.
	other func(typed string) row
	// is reports whether a row is what was typed; it goes with other.
	is func(r row, typed string) bool
	// toggle, if not nil, is called for the row in place of closing; it brings the rows up to date.
	toggle func(i int) tea.Cmd
	// fixed: the rows are few and are not searched; letters do nothing.
	fixed bool
}

// rowsMsg brings the rows of a picker that was opened without them, or the reason why there are none.
type rowsMsg struct {
	picker *picker
	rows   []row
	text   string
}

// searched is what the rows that fit are found from: there may be thousands.
type searched struct {
	rows  *row
	n     int
	typed string
}

// shown are the indices of the rows that fit what was typed; len(rows) stands for the other one.
func (p *picker) shown() []int {
	from := searched{n: len(p.rows), typed: p.typed}
	if from.n > 0 {
		from.rows = &p.rows[0]
	}
	return p.fits.Of(from, p.search)
}

func (p *picker) search() []int {
	var out []int
	want := strings.ToLower(p.typed)
	for i, r := range p.rows {
		if want == "" || strings.Contains(strings.ToLower(r.label+" "+r.also+" "+r.detail), want) {
			out = append(out, i)
		}
	}
	if p.other != nil && want != "" && !p.has(p.typed) {
		out = append(out, len(p.rows))
	}
	return out
}

func (p *picker) has(typed string) bool {
	return slices.ContainsFunc(p.rows, func(r row) bool { return p.is(r, typed) })
}

func (p *picker) row(i int) row {
	if i == len(p.rows) {
		return p.other(p.typed)
	}
	return p.rows[i]
}

func (p *picker) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case rowsMsg:
		if msg.picker == p {
			p.rows, p.text, p.empty = msg.rows, msg.text, "there are none"
			p.at = max(0, slices.IndexFunc(p.rows, func(r row) bool { return r.badge == "●" }))
		}
	case tea.PasteMsg:
		if len(p.typed)+len(msg.Content) > longestFilter {
			return false, reply(screen.Flash{Text: "Too long for this line: not pasted"})
		}
		p.narrow(p.typed + sanitize.Line(msg.Content))
	case tea.KeyPressMsg:
		return p.key(msg)
	}
	return false, nil
}

func (p *picker) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	shown := p.shown()
	switch k.String() {
	case "esc":
		return true, nil
	case "enter":
		return p.choose(shown)
	case "up", "ctrl+p":
		p.goTo(p.at - 1)
	case "down", "ctrl+n", "tab":
		p.goTo(p.at + 1)
	case "pgup":
		p.goTo(p.at - 8)
	case "pgdown":
		p.goTo(p.at + 8)
	case "home":
		p.goTo(0)
	case "end":
		p.goTo(len(shown) - 1)
	case "space":
		if p.switches() {
			return p.choose(shown)
		}
		p.narrow(p.typed + " ")
	case "ctrl+u":
		p.narrow("")
	case "backspace":
		if r := []rune(p.typed); len(r) > 0 {
			p.narrow(string(r[:len(r)-1]))
		}
	default:
		p.narrow(p.typed + sanitize.Line(k.Text))
	}
	return false, nil
}

// switches tells whether a space switches a row: what is being typed may have spaces, and the row that fits it best was not chosen yet.
func (p *picker) switches() bool {
	return p.toggle != nil && (p.typed == "" || p.moved && p.other == nil)
}

func (p *picker) goTo(at int) {
	p.at, p.moved = max(0, min(at, len(p.shown())-1)), true
}

// takes: a list that is not searched has no use for letters.
func (p *picker) takes(string) bool { return !p.fixed }

// writing tells whether what is written narrows the list.
func (p *picker) writing() bool { return !p.fixed }

func (p *picker) narrow(typed string) {
	if !p.fixed && typed != p.typed {
		p.typed, p.at, p.moved = typed, 0, false
	}
}

func (p *picker) choose(shown []int) (bool, tea.Cmd) {
	if p.at >= len(shown) {
		return false, nil
	}
	i := shown[p.at]
	if p.toggle != nil {
		return false, p.toggle(i)
	}
	return true, reply(meantMsg{p.row(i).pick})
}

func (p *picker) view(width, height int, st *look.Look) []string {
	head := []string{titleRow(p.title, width, st)}
	if p.text != "" && height > 5 {
		head = append(prose(head, p.text, width, st, st.Text.Render), "")
	}
	if !p.fixed && p.typed != "" {
		typed := input.Line{Text: p.typed}
		head = append(head, "  "+st.Dim.Render("filter ")+typed.View(max(1, width-9), st))
	}
	rows := p.list(width, max(1, height-len(head)-2), st)
	if len(head)+len(rows) > height { // too small for both: the choice comes first
		head = head[:max(0, min(1, height-len(rows)))]
	}
	out := append(head, rows...)
	return withHint(out, p.help(width, st), width, height, st)
}

func (p *picker) help(width int, st *look.Look) string {
	switch {
	case p.typing != "" && !p.switches():
		return p.typing
	case p.short != "" && st.Method.StringWidth(p.keys)+2 > width:
		return p.short
	case p.keys != "":
		return p.keys
	case p.toggle != nil:
		return "space on/off · type to filter · esc"
	case p.fixed:
		return "↑↓ choose · enter · esc"
	}
	return "↑↓ choose · enter · type to filter · esc"
}

// list draws a part of the rows, with the chosen one among them.
func (p *picker) list(width, height int, st *look.Look) []string {
	shown := p.shown()
	if len(shown) == 0 && p.typed == "" {
		return []string{"  " + st.Dim.Render(p.empty)}
	}
	if len(shown) == 0 {
		return []string{hintRow("nothing fits "+p.typed, width, st)}
	}
	p.seen.At = p.at
	return p.seen.View(len(shown), func(i int) look.Item { return p.row(shown[i]).item() }, width, height, st)
}

// titleFrame is how many columns stand around a title.
const titleFrame = 6

// titleRow heads a dialog: the title in a rule over the whole width.
func titleRow(title string, width int, st *look.Look) string {
	title = st.Clip(sanitize.Line(title), max(1, width-titleFrame))
	rest := max(0, width-st.Method.StringWidth(title)-4)
	return st.Faint.Render("──") + " " + st.Heading.Render(title) + " " + st.Faint.Render(strings.Repeat("─", rest))
}

// scrolls stands before what is in view where the arrows scroll.
const scrolls = "↑↓ "

// titleAt heads a dialog of which a part is in view; "": all is. How much is hidden is seen in any case: it is approved, too.
func titleAt(title, where string, width int, st *look.Look) string {
	if where == "" {
		return titleRow(title, width, st)
	}
	title = sanitize.Line(title)
	room, bare := width-titleFrame, " "+strings.TrimPrefix(where, scrolls)
	short := strings.TrimPrefix(title, "Server ")
	cut := st.Middle(short, max(1, room-st.Method.StringWidth(bare))) + bare
	return titleRow(st.Longest(room, title+" "+where, short+" "+where, short+bare, cut), width, st)
}

// withHint ends a dialog with a hint, set apart if there is room.
func withHint(rows []string, hint string, width, height int, st *look.Look) []string {
	if len(rows)+2 <= height {
		rows = append(rows, "")
	}
	rows = append(rows, hintRow(hint, width, st))
	return rows[:min(len(rows), height)]
}

func hintRow(hint string, width int, st *look.Look) string {
	return "  " + st.Dim.Render(st.Clip(hint, max(1, width-2)))
}
