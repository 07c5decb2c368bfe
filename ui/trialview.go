package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

func (t *trial) view(width, height int, st *look.Look) []string {
	title := status.Title(t.tool.Title, t.tool.ServerTool)
	switch {
	case !t.shown:
		return t.formRows(title, width, height, st)
	case t.running():
		keys := "esc stops it"
		if t.call.stopped {
			keys = "esc back to the list"
		}
		return askRows(&t.Scroller, title, t.runningRows(width, st), lit(st, keys), width, height, st)
	}
	keys := lit(st, "enter change", "r call again", "c copy result", "y copy command", "esc back")
	if width < look.Roomy {
		keys = lit(st, "enter change", "r again", "c copy result", "y copy command", "esc back")
	}
	rows := t.drawn.Of(callRows{width, *st}, func() []string { return t.call.outcome.rows(t.call.stopped, t.tool.Server, width, st) })
	return askRows(&t.Scroller, title, rows, keys, width, height, st)
}

// formRows draws what there is to know of the tool, and the form below.
func (t *trial) formRows(title string, width, height int, st *look.Look) []string {
	above := t.head.Of(aboutRows{callRows{width, *st}, t.standing}, func() []string { return t.about(width, st) })
	if t.form.Empty() {
		above = above[:len(above)-1] // the buttons stand apart by themselves
	}
	keys := []string{"tab next", "ctrl+y copy command", "ctrl+s as JSON", "esc back"}
	switch {
	case t.odd != nil:
		keys = slices.Delete(keys, 2, 3)
	case t.whole:
		keys[2] = "ctrl+s as fields"
	}
	foot := packed(lit(st, keys...), width, st)
	switch {
	case height > 12:
		foot = append([]string{""}, foot...)
	case len(foot) > height/3: // what is filled in must be seen
		foot = []string{hintRow("esc back", width, st)}
	}
	rows, where := t.form.View(above, width, max(1, height-1-len(foot)), st)
	out := append([]string{titleAt(title, where, width, st)}, rows...)
	return append(out[:min(len(out), max(1, height-len(foot)))], foot...)
}

// about is what the server says of the tool.
func (t *trial) about(width int, st *look.Look) []string {
	const mostWords = 4000
	out := prose(nil, sanitize.Cut(t.tool.Description, mostWords), width, st, st.Text.Render)
	facts := []string{st.Dim.Render(sanitize.Line(sanitize.Cut(t.tool.ServerTool, 200)) + " of " + sanitize.Line(t.tool.Server))}
	facts = append(facts, notes(t.tool, st)...)
	dim := func(say bool, words string) {
		if say {
			facts = append(facts, st.Dim.Render(words))
		}
	}
	dim(!t.tool.ReadOnly && !t.tool.Destructive, "says that it deletes nothing")
	dim(!t.tool.ReadOnly && t.tool.Idempotent, "twice is like once")
	dim(!t.tool.OpenWorld, "stays on this machine")
	dim(len(t.tool.Output) > 0, "announces structured content")
	out = append(out, packed(facts, width, st)...)
	warn := func(say bool, words string) {
		if say {
			out = prose(out, words, width, st, st.Warn.Render)
		}
	}
	warn(t.gone, "Its server does not offer it any more, so it cannot be called: /servers tells how that stands. What you filled in is kept.")
	warn(t.off, "It is switched off, and cannot be called: space in the list switches it on.")
	warn(t.changed, "It takes other arguments by now: esc, and enter in the list, show which. What you filled in is kept.")
	if t.odd != nil {
		warn(true, "Its arguments are written as JSON: "+t.odd.Error()+".")
	}
	return append(out, "")
}

// runningRows say how far the call is.
func (t *trial) runningRows(width int, st *look.Look) []string {
	words := "Calling…"
	if t.call.stopped {
		words = "Stopping…"
	}
	if took := time.Since(t.call.began); t.runs() && took >= time.Second {
		words += " " + status.Duration(took)
	}
	out := []string{"", "  " + st.Accent.Render("◌") + " " + words}
	for _, line := range markdown.Wrap(t.call.how(), look.Reading(max(8, width-6)), st.Method) {
		out = append(out, "    "+st.Dim.Render(line))
	}
	return out
}

// rows draw what came of the call.
func (o *outcome) rows(stopped bool, server string, width int, st *look.Look) []string {
	took := look.Duration(o.took)
	switch {
	case o.why != "" && stopped && o.unconfirmed:
		words := "Stopped here after " + took + ", but " + sanitize.Line(server) + " did not confirm it and may still be working on it."
		return prose(nil, words, width, st, st.Warn.Render)
	case o.why != "" && stopped && o.unasked:
		return prose(nil, "Stopped after "+took+", before "+sanitize.Line(server)+" was asked.", width, st, st.Warn.Render)
	case o.why != "" && stopped:
		return prose(nil, "Stopped after "+took+". The server was told.", width, st, st.Warn.Render)
	case o.why != "":
		out := []string{"  " + st.Err.Render("✗") + " No result · " + took}
		return prose(out, o.why, width, st, st.Text.Render)
	}
	mark := st.OK.Render("✓") + " Done"
	if o.failed {
		mark = st.Err.Render("✗") + " The tool says that it failed"
	}
	facts := []string{mark, took, bytesOf(o.size), "about " + status.Count(o.tokens) + " tokens"}
	if o.images > 0 {
		facts = append(facts, look.Plural(o.images, "image"))
	}
	out := packed(facts, width, st)
	if o.text != "" {
		out = append(out, "")
		for _, line := range markdown.Wrap(strings.TrimRight(sanitize.Text(o.text), "\n"), max(4, width-3), st.Method) {
			out = append(out, "  "+line)
		}
	}
	if more := o.size - len(o.text); o.text != "" && more > 0 {
		words := "… " + bytesOf(more) + " more: c copies "
		if o.size > mostCopied {
			words += "the first " + bytesOf(mostCopied)
		} else {
			words += "all of it"
		}
		out = prose(append(out, ""), words, width, st, st.Dim.Render)
	}
	if o.structured == "" {
		return o.fits(out, width, st)
	}
	out = append(out, "", "  "+st.Heading.Render("Structured content"))
	out = o.fits(out, width, st)
	for _, line := range markdown.Chop(o.structured, max(4, width-3), st.Method) {
		out = append(out, "  "+line)
	}
	if o.more > 0 {
		out = prose(append(out, ""), "… "+bytesOf(o.more)+" more", width, st, st.Dim.Render)
	}
	return out
}

// fits says how structured content fits what is announced.
func (o *outcome) fits(out []string, width int, st *look.Look) []string {
	style := st.Dim
	if o.misfit {
		style = st.Warn
	}
	return prose(out, o.fit, width, st, style.Render)
}

// bytesOf writes a size: "812 bytes", "12 kB", "1.4 MB".
func bytesOf(n int) string {
	switch {
	case n < 1000:
		return look.Plural(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
