package transcript

import (
	"cmp"
	"strings"

	"github.com/aloudchat/aloud/ui/look"
)

// selection is what the mouse selects: all from one cell to another.
type selection struct {
	press, low, high cell // the ends belong to it
	any              bool // the mouse has moved, or was clicked several times
}

// cell is a cell of a row, with the margin.
type cell struct {
	anchor
	x int
}

// Press begins a selection at a cell of the view, and reports whether a row is there. Two clicks select the word, and
// three the row.
func (t *Transcript) Press(x, y, clicks int) bool {
	t.Unselect()
	if t.View(); y >= len(t.at) || t.at[y].entry < 0 {
		return false
	}
	from, until, row := x, x, cellsOf(t.rows[y], t.look.Method)
	isWord := func(x int) bool {
		c := row.CellAt(x, 0)
		return c != nil && (clicks > 2 || !strings.ContainsAny(cmp.Or(c.Content, "x"), " \"'`()[]{}<>,;:│▌"))
	}
	for clicks > 1 && isWord(from-1) {
		from--
	}
	for clicks > 1 && isWord(until+1) {
		until++
	}
	t.selection = &selection{cell{t.at[y], x}, cell{t.at[y], from}, cell{t.at[y], until}, clicks > 1}
	return true
}

// Drag ends the selection at a cell. At the first row and below the view, it scrolls if asked to. It reports whether
// scrolling shows more there.
func (t *Transcript) Drag(x, y int, scroll bool) (more bool) {
	by, before := 0, t.top
	if y <= 0 {
		by = -1
	} else if y >= t.height {
		by = 1
	}
	if scroll {
		t.Scroll(by)
	}
	t.View()
	if y = max(0, min(y, len(t.at)-1)); len(t.at) > 0 && t.at[y].entry < 0 {
		y++
	}
	s := t.selection
	if y >= len(t.at) || s == nil {
		return false
	}
	s.low, s.high, s.any = s.press, cell{t.at[y], x}, true
	if cmp.Or(s.high.compare(s.low.anchor), s.high.x-s.low.x) < 0 {
		s.low, s.high = s.high, s.low
	}
	return by != 0 && (!scroll || t.top != before)
}

// Unselect ends the selection.
func (t *Transcript) Unselect() { t.selection = nil }

// selected returns the selected part of the text of a row, in cells.
func (t *Transcript) selected(at anchor, row string) (from, until int) {
	s := t.selection
	if s == nil || !s.any || at.compare(s.low.anchor) < 0 || at.compare(s.high.anchor) > 0 {
		return 0, 0
	}
	text, from := body(row, t.look.Method)
	until = from + t.look.Method.StringWidth(text)
	if at == s.low.anchor && s.low.x > from {
		cells := cellsOf(row, t.look.Method).Line(0)
		for from = s.low.x; 0 < from && from < len(cells) && cells[from].Width == 0; {
			from-- // to the first half of a wide letter
		}
	}
	if at == s.high.anchor {
		until = min(until, s.high.x+1)
	}
	return from, until
}

// Selected returns the selected text without what aloud draws around it. Rows that aloud has wrapped are one line.
func (t *Transcript) Selected() string {
	s := t.selection
	if s == nil || !s.any {
		return ""
	}
	var out strings.Builder
	var above, text string // the row above, and the source of its entry, also without marks
	margin, entry := look.Margin(t.width), -1
	for at, row := range t.rowsFrom(s.low.anchor) {
		if at.compare(s.high.anchor) > 0 {
			break
		}
		if at.entry != entry {
			entry, above, text = at.entry, "", strings.ReplaceAll(source(t.entries[at.entry]), "\t", "    ")
			text += "\n" + unmarked.Replace(text)
		}
		from, until := t.selected(at, row)
		part, glue := t.cut(row, from, until), ""
		if _, begin := body(row, t.look.Method); from <= begin {
			part = written(t.cut(row, margin, until), text)
		}
		row = t.cut(row, margin, t.width)
		if at != s.low.anchor {
			if glue = t.glue(above, row, text); glue != "\n" {
				part = strings.TrimLeft(part, frames)
			}
		}
		above = row
		out.WriteString(glue + part)
	}
	return out.String()
}

// cut returns the text of cells of a row, without the mark of a wrapped line of code.
func (t *Transcript) cut(row string, from, until int) string {
	var b strings.Builder
	for x, c := range cellsOf(row, t.look.Method).Line(0) {
		if from <= x && x < until {
			b.WriteString(c.Content)
		}
	}
	return strings.TrimRight(b.String(), " ↩")
}

// written returns a row of an entry without the marks and the indent that are not in its source.
func written(row, source string) string {
	if text := strings.TrimLeft(row, "▌│"); text != row {
		row = strings.TrimPrefix(text, " ")
	}
	if rest, ok := strings.CutPrefix(row, "  "); ok && strings.Contains("\n"+source, "\n"+rest) {
		return rest
	}
	return row
}

// glue returns what is between two rows in the source: a line break, unless the first word of the row did not fit above
// and the source has it there.
func (t *Transcript) glue(above, row, source string) string {
	words, next := strings.Fields(above), strings.Fields(strings.TrimLeft(row, frames))
	room := look.Reading(t.width-2*look.Margin(t.width)) - len(" ↩")
	if len(words) == 0 || len(next) == 0 || t.look.Method.StringWidth(above+" "+next[0]) <= room {
		return "\n"
	}
	last := words[len(words)-1]
	for _, glue := range []string{" ", ""} {
		if strings.Contains(source, last+glue+next[0]) {
			return glue
		}
	}
	return "\n"
}
