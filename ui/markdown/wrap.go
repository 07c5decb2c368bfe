package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const closeLink = "\x1b]8;;\x1b\\"

// Wrap breaks text into rows of at most width cells, at spaces where it can, and turns tabs into four spaces. Rows stand alone: colours
// and links that go over the end of one are closed there and opened again in the next. A character wider than a row is left out.
func Wrap(text string, width int, m ansi.Method) []string { return wrap(text, width, m, false) }

// Chop is Wrap for text whose spaces matter, such as code: rows break where they are full.
func Chop(text string, width int, m ansi.Method) []string { return wrap(text, width, m, true) }

func wrap(text string, width int, m ansi.Method, chop bool) []string {
	width = max(1, width)
	var rows []string
	var pens carry
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		if !pens.on() && fits(line, width) {
			rows = append(rows, line)
			continue
		}
		broken := ""
		if chop {
			broken = m.Hardwrap(line, width, true)
		} else {
			broken = m.Wrap(line, width, "")
		}
		for row := range strings.SplitSeq(broken, "\n") {
			rows = append(rows, Clip(pens.close(row), width, "", m))
		}
	}
	return rows
}

// Clip cuts a row at width cells and puts tail, such as "…", where something is missing. Colours end where they did.
func Clip(row string, width int, tail string, m ansi.Method) string {
	if fits(row, width) || m.StringWidth(row) <= width {
		return row
	}
	decode := ansi.DecodeSequence[string]
	if m == ansi.WcWidth {
		decode = ansi.DecodeSequenceWc[string]
	}
	if m.StringWidth(tail) > width {
		tail = ""
	}
	room, full := width-m.StringWidth(tail), false
	var b strings.Builder
	for state := byte(0); len(row) > 0; {
		seq, cells, n, next := decode(row, state, nil)
		room -= cells
		if room < 0 && !full {
			full = true
			b.WriteString(tail)
		}
		if !full || seq[0] == '\x1b' {
			b.WriteString(seq)
		}
		row, state = row[n:], next
	}
	return b.String()
}

// fits tells in a quick way whether a line surely fits: it is printable ASCII and short.
func fits(line string, width int) bool {
	if len(line) > width {
		return false
	}
	for i := range len(line) {
		if line[i] < 0x20 || line[i] > 0x7e {
			return false
		}
	}
	return true
}

// carry is the colours and the link that are on at the end of a row.
type carry struct{ pen, link string }

func (c *carry) on() bool { return c.pen != "" || c.link != "" }

// close makes a row stand alone.
func (c *carry) close(row string) string {
	open := c.link + c.pen
	c.read(row)
	if open == "" && !c.on() {
		return row
	}
	row = open + row
	if c.pen != "" {
		row += reset
	}
	if c.link != "" {
		row += closeLink
	}
	return row
}

// read follows the sequences of a row.
func (c *carry) read(row string) {
	for {
		i := strings.IndexByte(row, '\x1b')
		if i < 0 || i+1 >= len(row) {
			return
		}
		row = row[i:]
		end := 0
		if row[1] == ']' {
			if end = strings.Index(row, "\x1b\\") + 2; end < 2 {
				return
			}
			if c.link = row[:end]; c.link == closeLink {
				c.link = ""
			}
		} else {
			if end = strings.IndexByte(row, 'm') + 1; end < 1 {
				return
			}
			if seq := row[:end]; seq == reset || seq == "\x1b[0m" {
				c.pen = ""
			} else {
				c.pen += seq
			}
		}
		row = row[end:]
	}
}
