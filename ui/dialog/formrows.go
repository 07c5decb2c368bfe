package dialog

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// View draws the rows above the form, and the form, in at most height rows. where says which rows are in view, if not
// all are. Only those are drawn: a choice may have thousands of options.
func (x *form) View(above []string, width, height int, st *look.Look) (rows []string, where string) {
	p := formRows{width: width, nameWidth: x.nameWidth(width, st), st: st}
	for _, row := range above {
		p.row(func() string { return row })
	}
	for i, in := range x.fields {
		p.field(x, i, in)
	}
	p.buttons(x)
	if x.follow && len(p.rows) > height {
		x.rows.From = max(min(x.rows.From, p.cursor[0]), min(p.cursor[1], p.cursor[0]+height)-height)
	}
	from, to, where := x.rows.Extent(len(p.rows), height)
	for _, draw := range p.rows[from:to] {
		rows = append(rows, draw())
	}
	return rows, where
}

// nameWidth is the width of the names beside their fields; 0 when they are above them.
func (x *form) nameWidth(width int, st *look.Look) int {
	if width < look.Roomy {
		return 0
	}
	wide := 0
	for _, in := range x.fields {
		wide = max(wide, st.Method.StringWidth(in.Title)+2)
	}
	return min(wide, width/3)
}

// formRows are the rows of a form.
type formRows struct {
	width     int
	nameWidth int
	st        *look.Look
	rows      []func() string
	cursor    [2]int // the rows of what is under the cursor: from, to
}

func (p *formRows) row(draw func() string) { p.rows = append(p.rows, draw) }

// field draws one field: its name and value, and below them its description if it has the cursor.
func (p *formRows) field(x *form, i int, in *field) {
	here := x.here()
	is := here.field == i
	began, wide, indent := len(p.rows), p.nameWidth, "    "
	first := began
	if wide > 0 {
		indent = strings.Repeat(" ", wide+4)
		p.row(func() string { return p.name(in, is) + p.value(in, is, 0, here.option) })
	} else {
		first++
		p.row(func() string { return p.name(in, is) })
		p.row(func() string { return indent + p.value(in, is, 0, here.option) })
	}
	for o := 1; o < len(in.on); o++ {
		p.row(func() string { return indent + p.value(in, is, o, here.option) })
	}
	if is {
		p.words(in.Description, indent, p.st.Dim.Render)
		p.words(in.unfinished(), indent, p.st.Dim.Render)
	}
	p.words(in.fault, indent, p.st.Err.Render)
	switch {
	case is && here.option > 0: // a list may be longer than the screen
		p.cursor = [2]int{first + here.option, first + here.option + 1}
	case is && here.option == 0:
		p.cursor = [2]int{began, first + 1}
	case is:
		p.cursor = [2]int{began, len(p.rows)}
	}
}

// name draws the name of a field.
func (p *formRows) name(in *field, is bool) string {
	styles := p.st.Styles
	room := p.nameWidth - 2
	if p.nameWidth == 0 {
		room = max(4, p.width-6)
	}
	name := p.st.Clip(in.Title, room)
	used := p.st.Method.StringWidth(name)
	mark, style := "  ", styles.Strong
	switch {
	case is && in.fault != "":
		mark, style = styles.Err.Render("› "), styles.Chosen
	case is:
		mark, style = styles.Accent.Render("› "), styles.Chosen
	case in.fault != "":
		mark = styles.Err.Render("✗ ")
	}
	name = mark + style.Render(name)
	if in.Required {
		name, used = name+styles.Accent.Render(" *"), used+2
	}
	if p.nameWidth == 0 {
		return name
	}
	return name + strings.Repeat(" ", max(1, p.nameWidth-used+2))
}

func (p *formRows) words(text, indent string, style func(...string) string) {
	if text == "" {
		return
	}
	for _, line := range markdown.Wrap(text, look.Reading(max(8, p.width-len(indent)-1)), p.st.Method) {
		p.row(func() string { return indent + style(line) })
	}
}

// value draws the value of a field, or one option where you can choose several.
func (p *formRows) value(in *field, is bool, option, at int) string {
	room := max(4, p.width-p.nameWidth-6)
	styles := p.st.Styles
	switch {
	case len(in.on) > 0:
		mark, box, style := "", styles.Dim.Render("[ ]"), styles.Text
		if in.on[option] {
			box = styles.OK.Render("[x]")
		}
		if is && option == at {
			mark, style = styles.Accent.Render("› "), styles.Chosen
		}
		return mark + box + " " + style.Render(p.st.Clip(in.Options[option].Title, max(1, room-6)))
	case in.picks():
		return p.picked(in, is, room)
	case is && in.text.Text == "":
		return in.text.View(room, p.st) + styles.Dim.Render(p.st.Clip(in.hint(), room-1))
	case is:
		return in.text.View(room, p.st)
	case in.text.Text == "":
		return styles.Faint.Render("–")
	}
	return p.st.Clip(visible(sanitize.Cut(in.text.Text, nearby*room)), room)
}

// picked draws the chosen option.
func (p *formRows) picked(in *field, is bool, room int) string {
	styles := p.st.Styles
	said := styles.Dim.Render("not chosen")
	if in.chosen >= 0 {
		said = p.st.Clip(in.Options[in.chosen].Title, max(1, room-12))
	}
	if !is {
		return said
	}
	at := ""
	if n := len(in.Options); n > 2 && in.chosen >= 0 {
		at = styles.Dim.Render(fmt.Sprintf("  %d of %d", in.chosen+1, n))
	}
	return styles.Accent.Render("‹ ") + said + styles.Accent.Render(" ›") + at
}

// buttons draws the buttons in a row.
func (p *formRows) buttons(x *form) {
	if len(x.buttons) == 0 {
		return
	}
	if len(p.rows) > 0 {
		p.row(func() string { return "" })
	}
	here := x.Button()
	if here >= 0 {
		p.cursor = [2]int{len(p.rows), len(p.rows) + 1}
	}
	var words []string
	for b, name := range x.buttons {
		if here == b {
			words = append(words, p.st.Chosen.Render("› "+name))
		} else {
			words = append(words, "  "+name)
		}
	}
	p.row(func() string { return strings.Join(words, "   ") })
}
