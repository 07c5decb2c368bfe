package transcript

import (
	"sort"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// part is a part of a row, in cells.
type part struct{ row, from, until int }

// matches returns the matches in the rows of an entry in a look.
func (t *Transcript) matches(i int, st *look.Look) [][]part {
	return matchesIn(t.rowsOf(t.entries[i], st), t.find.words, st.Method)
}

// frames are what is at the beginning of rows and is not their text.
const frames = " ▌│"

// body returns the text of a row, and the number of cells before it.
func body(row string, m ansi.Method) (text string, at int) {
	row = strings.TrimRight(ansi.Strip(row), " ↩")
	text = strings.TrimLeft(row, frames)
	return text, m.StringWidth(row[:len(row)-len(text)])
}

// matchesIn returns where words are in rows. A match that goes over the end of a row has several parts.
func matchesIn(rows []string, words string, m ansi.Method) (all [][]part) {
	var joined strings.Builder
	begins := make([]int, len(rows)) // of the rows in the text
	for i, row := range rows {
		text, _ := body(row, m)
		begins[i] = joined.Len()
		joined.WriteString(inCase(text, words))
		joined.WriteByte(' ')
	}
	text := joined.String()
	for end := 0; ; {
		i := strings.Index(text[end:], words)
		if i < 0 {
			return all
		}
		begin := end + i
		end = begin + len(words)
		var match []part
		for row := sort.SearchInts(begins, begin+1) - 1; row < len(rows) && begins[row] < end; row++ {
			plain, at := body(rows[row], m)
			cell := func(to int) int { // of a byte of the text, which may be in lower case
				runes := []rune(plain)
				n := utf8.RuneCountInString(text[begins[row]:max(begins[row], to)])
				return at + m.StringWidth(string(runes[:min(n, len(runes))]))
			}
			match = append(match, part{row, cell(begin), cell(end)})
		}
		all = append(all, match)
	}
}

// mark draws the marks in the rows of the view: the matches of a search are bold and underlined, and the one that is
// shown is reversed too.
func (t *Transcript) mark() {
	for y, at := range t.at {
		if from, until := t.selected(at, t.rows[y]); until > from {
			t.paint(y, []part{{y, from, until}}, func(_ part, s *uv.Style) { s.Attrs |= uv.AttrReverse })
		}
	}
	f := t.find
	if f == nil || f.words == "" {
		return
	}
	marks, shown := make([][]part, len(t.rows)), map[part]bool{}
	for _, match := range matchesIn(t.rows, f.words, t.look.Method) {
		is := len(f.found) > 0 && t.at[match[0].row] == f.shown && match[0].from == f.cell
		for _, p := range match {
			marks[p.row], shown[p] = append(marks[p.row], p), is
		}
	}
	for y, parts := range marks {
		t.paint(y, parts, func(p part, s *uv.Style) {
			s.Underline, s.Attrs = uv.UnderlineSingle, s.Attrs|uv.AttrBold
			if !t.look.Mono {
				s.Fg = t.look.Accent.GetForeground()
			}
			if shown[p] {
				s.Attrs |= uv.AttrReverse
			}
		})
	}
}

// paint changes the style of parts of a row of the view, and keeps its links.
func (t *Transcript) paint(y int, parts []part, change func(part, *uv.Style)) {
	if len(parts) == 0 {
		return
	}
	cells := cellsOf(t.rows[y], t.look.Method)
	for _, p := range parts {
		for x := p.from; x < p.until; x++ {
			if c := cells.CellAt(x, 0); c != nil {
				change(p, &c.Style)
			}
		}
	}
	row := strings.ReplaceAll(cells.Render(), "\a", "\x1b\\") // the ends of links, as sanitize.Output knows them
	t.rows[y] = sanitize.ShowSemicolons(row)
}

// cellsOf draws a row into cells.
func cellsOf(row string, m ansi.Method) uv.ScreenBuffer {
	cells := uv.NewScreenBuffer(m.StringWidth(row), 1)
	cells.Method = m
	uv.NewStyledString(sanitize.HideSemicolons(row)).Draw(cells, cells.Bounds())
	return cells
}
