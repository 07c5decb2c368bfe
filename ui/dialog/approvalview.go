package dialog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// roomy is the height from which an approval has a frame, and one row for each answer.
const roomy = 16

// View draws the call with the answers below it, or the line for the reason.
func (a *approval) View(width, height int, st *look.Look) []string {
	framed := height >= roomy && width >= 40
	inner := width
	if framed {
		inner -= 4 // the frame, and a space on each side
	}
	foot := a.foot(inner, framed, height, st)
	room := height - 1 - len(foot)
	if framed {
		room -= 3 // the frame below, and the empty rows around the call
	}
	room = max(0, room)
	rows := a.drawn.Of(canvas{inner, *st}, func() []string { return a.call(inner, st, framed) })
	if scope := a.scope(true, inner, st); !framed && len(rows)+len(scope) <= room {
		rows = slices.Concat(rows, scope)
	}
	body, where := a.Window(rows, room)
	if where == "" {
		a.read = true
	} else if below := len(rows) - a.From - len(body); below > 0 {
		where = "↓ " + quantity.Plural(below, "more row")
	} else {
		a.read = a.read || room > 0
	}
	const title = "● Allow this call?"
	if framed {
		return frame(title, where, body, foot, width, st)
	}
	out := append([]string{warning(title, where, width, st)}, body...)
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}

// warning is the rule above an approval, in the colour of warnings. Other dialogs have none.
func warning(title, where string, width int, st *look.Look) string {
	title = st.Clip(title, max(1, width-3))
	if where != "" {
		where = " " + where
	}
	rest := max(0, width-st.Method.StringWidth(title+where)-4)
	return st.Clip(st.Warn.Render("━━ "+title)+st.Dim.Render(where)+st.Warn.Render(" "+strings.Repeat("━", rest)), width)
}

// frame draws a call and its answers in a box.
func frame(title, where string, body, foot []string, width int, st *look.Look) []string {
	if where != "" {
		where += " "
	}
	rest := max(0, width-st.Method.StringWidth(title+where)-6)
	top := st.Warn.Render("┏━ "+title+" ") + st.Dim.Render(where) + st.Warn.Render(strings.Repeat("━", rest)+"━┓")
	out := []string{top}
	side := st.Warn.Render("┃")
	add := func(rows ...string) {
		for _, row := range rows {
			gap := strings.Repeat(" ", max(0, width-4-st.Method.StringWidth(row)))
			out = append(out, side+" "+row+gap+" "+side)
		}
	}
	add("")
	add(body...)
	add("")
	add(foot...)
	return append(out, st.Warn.Render("┗"+strings.Repeat("━", max(0, width-2))+"┛"))
}

// foot draws the answers, or the line for the reason, and what the keys do.
func (a *approval) foot(width int, framed bool, height int, st *look.Look) []string {
	if a.reason != nil {
		return []string{
			"  " + st.Accent.Render("Reason: ") + a.reason.View(max(1, width-12), st),
			st.Hint(st.Longest(width-2, "enter to deny · esc to go back", "enter · esc"), width),
		}
	}
	rows := a.packed(width, height, st)
	if framed {
		rows = a.listed(width, st)
	}
	switch {
	case a.early:
		if !framed && len(rows) > 1 {
			rows = rows[:1]
		}
		return append(rows, "  "+st.Warn.Render(st.Clip("Read the call to its end first: pgdown", max(1, width-2))))
	case framed:
		keys := st.Longest(width-2, "↑↓ choose · enter · pgup pgdown scroll · esc denies", "↑↓ · enter · pgdown · esc", "esc")
		return append(rows, st.Hint(keys, width))
	}
	return rows
}

// listed draws the answers one below the other, with what they cover.
func (a *approval) listed(width int, st *look.Look) []string {
	const words = 20 // cells for the words of an answer
	var rows []string
	covers := true
	for _, c := range a.choices {
		covers = covers && st.Method.StringWidth(c.cover)+words+5 <= width
	}
	for i, c := range a.choices {
		mark, style := "  ", st.Text
		if i == a.at {
			mark, style = st.Accent.Render("› "), st.Chosen
		}
		row := mark + st.Key.Render(c.key) + "  "
		switch {
		case covers:
			row += style.Render(fmt.Sprintf("%-*s", words, c.words)) + st.Dim.Render(c.cover)
		case c.Always:
			row += style.Render(c.words) + st.Dim.Render(", saved in "+filepath.Base(a.file))
		default:
			row += style.Render(c.words)
		}
		rows = append(rows, st.Clip(row, width))
	}
	if !covers {
		rows = append(rows, a.scope(false, width, st)...)
	}
	return rows
}

// scope draws what s and a allow, for a screen where this does not fit beside them, and where a saves it.
func (a *approval) scope(saved bool, width int, st *look.Look) []string {
	if a.asked.Pattern == "" {
		return nil
	}
	words := "s and a allow " + a.calls()
	switch {
	case a.file == "":
		words = "s allows " + a.calls()
	case saved:
		words += ", a saved in " + filepath.Base(a.file)
	}
	return st.Indent(nil, words, "  ", width-2, st.Dim.Render)
}

// packed draws the answers in as few rows as possible.
func (a *approval) packed(width, height int, st *look.Look) []string {
	var words, keys []string
	for i, c := range a.choices {
		word := st.Key.Render(c.key) + " " + st.Text.Render(c.words)
		if i == a.at {
			word = st.Accent.Render("›") + st.Chosen.Render(c.key) + " " + st.Chosen.Render(c.words)
		}
		words = append(words, word)
		keys = append(keys, c.key)
	}
	if rows := st.Packed(words, width); len(rows)+1 < height {
		return rows
	}
	return []string{st.Clip(" "+st.Key.Render(strings.Join(keys, " ")), width)} // the screen is too small
}

// call draws the tool, its hints, and either the change to a file or every argument. Without a frame the screen is
// small, and the change comes first.
func (a *approval) call(width int, st *look.Look, framed bool) []string {
	t := a.asked.Tool
	title := st.Strong.Render(sanitize.Visible(a.asked.Call.Title))
	from := st.Dim.Render(fmt.Sprintf("%s of %s", sanitize.Visible(t.ServerTool), sanitize.Visible(a.asked.Call.Server)))
	about := st.Packed(append([]string{title, from}, notes(t, st)...), width)
	about = st.Indent(about, sanitize.Visible(a.asked.Why), "  ", width-3, st.Warn.Render)
	if a.asked.Doubt != "" {
		about = st.Indent(about, "would fail now: "+sanitize.Visible(a.asked.Doubt), "  ", width-3, st.Warn.Render)
	}
	if a.asked.Diff == "" {
		if framed {
			about = append(about, "")
		}
		return append(about, st.Arguments(a.asked.Call.Arguments, width)...)
	}
	added, removed := event.DiffCounts(a.asked.Diff)
	name := st.Packed([]string{st.DiffTitle(a.asked.Diff, added, removed)}, width)
	change := st.Diff(a.asked.Diff, width)
	if framed {
		return append(append(append(about, ""), name...), change...)
	}
	return append(append(change, name...), about...)
}

// notes describes the effects of a call, according to the hints of the tool's server.
func notes(t mcpclient.Tool, st *look.Look) []string {
	var notes []string
	if t.Destructive && !t.ReadOnly {
		notes = append(notes, st.Warn.Render("may delete or overwrite"))
	}
	if t.OpenWorld {
		notes = append(notes, st.Warn.Render("uses the network"))
	}
	if t.ReadOnly {
		notes = append(notes, st.Dim.Render("read-only (the server's claim)"))
	}
	return notes
}
