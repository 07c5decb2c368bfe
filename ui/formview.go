package ui

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/ui/markdown"
)

// besideFrom is how wide a form has to be for its fields to stand beside their names, and not below them.
const besideFrom = 60

// view draws what stands above the form, and the form, in at most height rows. where tells what is in view when that is not all of it.
func (x *fillIn) view(above []string, width, height int, st *look) (rows []string, where string) {
	p := formRows{rows: append([]string(nil), above...), width: width, st: st}
	p.nameWidth = x.nameWidth(width, st)
	for i, in := range x.inputs {
		p.input(x, i, in)
	}
	p.blank()
	p.buttons(x)
	if x.follow && len(p.rows) > height {
		x.from = max(min(x.from, p.cursor[0]), p.cursor[1]-height)
	}
	return x.window(p.rows, height)
}

// nameWidth is how much room names get beside their fields, 0 when they stand above them.
func (x *fillIn) nameWidth(width int, st *look) int {
	if width < besideFrom {
		return 0
	}
	wide := 0
	for _, in := range x.inputs {
		wide = max(wide, st.method.StringWidth(in.Title)+2)
	}
	return min(wide, width/3)
}

// formRows gathers the rows of a form.
type formRows struct {
	rows      []string
	width     int
	nameWidth int
	st        *look
	cursor    [2]int // the rows of what is under the cursor: from, to
}

func (p *formRows) blank() {
	if len(p.rows) > 0 {
		p.rows = append(p.rows, "")
	}
}

// input draws one field: its name, what was said, and below, for the one under the cursor, what it is for.
func (p *formRows) input(x *fillIn, i int, in *input) {
	here, is := x.here()
	is = is && here.input == i
	began := len(p.rows)
	name, wide := in.Title, p.nameWidth
	if wide == 0 {
		name = clip(name, max(4, p.width-6), p.st)
	} else {
		name = clip(name, wide-2, p.st)
	}
	used := p.st.method.StringWidth(name)
	style := p.st.styles.strong
	if is {
		style = p.st.styles.chosen
	}
	name = style.Render(name)
	if in.Required {
		name, used = name+p.st.styles.accent.Render(" *"), used+2
	}
	mark := "  "
	if is {
		mark = p.st.styles.accent.Render("› ")
	}
	values := p.values(in, is, here.option)
	indent, first := "    ", began+1
	if wide > 0 {
		indent, first = strings.Repeat(" ", wide+4), began
		name += strings.Repeat(" ", max(1, wide-used+2)) + values[0]
		values = values[1:]
	}
	p.rows = append(p.rows, mark+name)
	for _, v := range values {
		p.rows = append(p.rows, indent+v)
	}
	if is {
		p.words(in.Description, indent, p.st.styles.dim.Render)
	}
	p.words(in.fault, indent, p.st.styles.err.Render)
	switch {
	case is && here.option > 0: // a list may be longer than the screen
		p.cursor = [2]int{first + here.option, first + here.option + 1}
	case is && here.option == 0:
		p.cursor = [2]int{began, first + 1}
	case is:
		p.cursor = [2]int{began, len(p.rows)}
	}
}

func (p *formRows) words(text, indent string, style func(...string) string) {
	if text == "" {
		return
	}
	for _, line := range markdown.Wrap(text, reading(max(8, p.width-len(indent)-1)), p.st.method) {
		p.rows = append(p.rows, indent+style(line))
	}
}

// values draws what was said in a field: a row, or one for each of several options.
func (p *formRows) values(in *input, is bool, option int) []string {
	room := max(4, p.width-p.nameWidth-6)
	styles := p.st.styles
	switch {
	case in.on != nil:
		out := make([]string, len(in.on))
		for o, on := range in.on {
			mark, box, style := "", styles.dim.Render("[ ]"), styles.text
			if on {
				box = styles.ok.Render("[x]")
			}
			if is && o == option {
				mark, style = styles.accent.Render("› "), styles.chosen
			}
			out[o] = mark + box + " " + style.Render(clip(in.Options[o].Title, max(1, room-6), p.st))
		}
		return out
	case in.picks():
		said := styles.dim.Render("not chosen")
		if in.chosen >= 0 {
			said = clip(in.Options[in.chosen].Title, max(1, room-12), p.st)
		}
		if is {
			at := ""
			if n := len(in.Options); n > 2 && in.chosen >= 0 {
				at = styles.dim.Render(fmt.Sprintf("  %d of %d", in.chosen+1, n))
			}
			said = styles.accent.Render("‹ ") + said + styles.accent.Render(" ›") + at
		}
		return []string{said}
	case is && in.text.text == "":
		return []string{in.text.view(room, p.st) + styles.dim.Render(clip(in.hint(), room-1, p.st))}
	case is:
		return []string{in.text.view(room, p.st)}
	case in.text.text == "":
		return []string{styles.faint.Render("–")}
	}
	return []string{clip(in.text.text, room, p.st)}
}

// buttons draws the buttons in a row.
func (p *formRows) buttons(x *fillIn) {
	here, ok := x.here()
	var words []string
	for b, name := range x.buttons {
		if ok && here.input < 0 && here.option == b {
			words = append(words, p.st.styles.chosen.Render("› "+name))
			p.cursor = [2]int{len(p.rows), len(p.rows) + 1}
		} else {
			words = append(words, "  "+name)
		}
	}
	p.rows = append(p.rows, strings.Join(words, "   "))
}
