package dialog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// View draws the text, the fields and the buttons that fit, with the cursor in view.
func (f *form) View(width, height int, st *look.Look) []string {
	rows := slices.Clone(f.drawn.Of(canvas{width, *st}, func() []string { return f.above(width, st) }))
	rows, from, to := f.draw(rows, width, st)
	room := max(1, height-2)
	if f.follow && len(rows) > room {
		f.rows.From = max(min(f.rows.From, from), min(to, from+room)-room)
	}
	rows, where := f.rows.Window(rows, room)
	out := append([]string{st.Title(f.title, where, width)}, rows...)
	return st.WithHint(out, f.hint(width, st), width, height)
}

// hint returns the key hints.
func (f *form) hint(width int, st *look.Look) string {
	if f.leaving {
		return "press esc again to discard your input"
	}
	if here := f.here(); here.field < 0 && here.option >= 0 && f.buttons[here.option].hint != "" {
		return f.buttons[here.option].hint
	}
	return st.Longest(width-2, f.keys...)
}

// draw appends the rows of the fields and the buttons. from and to are the rows of the cursor's position.
func (f *form) draw(rows []string, width int, st *look.Look) (all []string, from, to int) {
	here, names := f.here(), 0
	for _, in := range f.fields {
		names = max(names, st.Method.StringWidth(in.Title)+2)
	}
	names = min(names, width/3)
	indent, room := strings.Repeat(" ", names+4), max(4, width-names-6)
	for i, in := range f.fields {
		is, began := here.field == i, len(rows)
		row := in.name(is, names, st)
		for o := range max(1, len(in.on)) {
			rows = append(rows, row+in.draw(is, o, is && o == here.option, room, st))
			row = indent
		}
		if is {
			rows = st.Indent(rows, in.Description, indent, width-len(indent)-1, st.Dim.Render)
		}
		rows = st.Indent(rows, in.fault, indent, width-len(indent)-1, st.Err.Render)
		switch {
		case is && here.option >= 0: // a list may be longer than the screen
			from, to = began+here.option, began+here.option+1
		case is:
			from, to = began, len(rows)
		}
	}
	if len(f.buttons) == 0 {
		return rows, from, to
	}
	if len(rows) > 0 {
		rows = append(rows, "")
	}
	var buttons []string
	for b, button := range f.buttons {
		name := "  " + button.name
		if here.field < 0 && here.option == b {
			name = st.Chosen.Render("› " + button.name)
			from, to = len(rows), len(rows)+1
		}
		buttons = append(buttons, name)
	}
	return append(rows, strings.Join(buttons, "   ")), from, to
}

// name draws the name of a field; is means that the field has the cursor.
func (in *field) name(is bool, width int, st *look.Look) string {
	mark, style := "  ", st.Strong
	switch {
	case is && in.fault != "":
		mark, style = st.Err.Render("› "), st.Chosen
	case is:
		mark, style = st.Accent.Render("› "), st.Chosen
	case in.fault != "":
		mark = st.Err.Render("✗ ")
	}
	title := st.Clip(in.Title, max(1, width-2))
	name, used := mark+style.Render(title), st.Method.StringWidth(title)
	if in.Required {
		name, used = name+st.Accent.Render(" *"), used+2
	}
	return name + strings.Repeat(" ", max(1, width-used+2))
}

// draw draws the value of a field, or one option of a field with several choices; chosen means that it has the cursor.
func (in *field) draw(is bool, option int, chosen bool, room int, st *look.Look) string {
	switch {
	case len(in.on) > 0:
		mark, box, style := "", st.Dim.Render("[ ]"), st.Text
		if in.on[option] {
			box = st.OK.Render("[x]")
		}
		if chosen {
			mark, style = st.Accent.Render("› "), st.Chosen
		}
		return mark + box + " " + style.Render(st.Clip(in.Options[option].Title, max(1, room-6)))
	case in.picks():
		return in.picked(is, room, st)
	case is && in.text.Text == "":
		return in.text.View(room, st) + st.Dim.Render(st.Clip(in.hint(), room-1))
	case is:
		return in.text.View(room, st)
	case in.text.Text == "":
		return st.Faint.Render("–")
	}
	return st.Clip(visible(sanitize.Cut(in.text.Text, nearby*room)), room)
}

// picked draws the chosen option.
func (in *field) picked(is bool, room int, st *look.Look) string {
	said := st.Dim.Render("not chosen")
	if in.chosen >= 0 {
		said = st.Clip(in.Options[in.chosen].Title, max(1, room-12))
	}
	if !is {
		return said
	}
	at := ""
	if n := len(in.Options); n > 2 && in.chosen >= 0 {
		at = st.Dim.Render(fmt.Sprintf("  %d of %d", in.chosen+1, n))
	}
	return st.Accent.Render("‹ ") + said + st.Accent.Render(" ›") + at
}
