package ui

import (
	"bufio"
	"io"
	"strings"
)

// dump writes the last maxRows rows as they are on the screen, for what remains when the program ends, or with 0 the whole conversation
// with everything unfolded, for the pager. Rows carry colours; a writer that knows the terminal takes out what is too much.
func (t *transcript) dump(w io.Writer, maxRows int) error {
	var from anchor
	if maxRows > 0 {
		from = t.back(maxRows)
	} else {
		shown := t.look
		unfolded := *shown
		unfolded.thinking, unfolded.details, unfolded.whole = true, true, true
		t.look = &unfolded
		defer func() { t.look = shown }()
	}
	b := bufio.NewWriter(w)
	for i := from.entry; i < len(t.entries); i++ {
		rows, gap := t.entry(i)
		if i == from.entry {
			rows, gap = below(rows, gap, from.row)
		}
		if gap > 0 {
			b.WriteByte('\n')
		}
		for _, row := range rows {
			b.WriteString(row)
			b.WriteByte('\n')
		}
		if f, ok := t.entries[i].(interface{ forget() }); ok && t.look.whole {
			f.forget() // rows that are never on the screen
		}
	}
	return b.Flush()
}

// text returns the Markdown source of the last answer or of the whole conversation.
func (t *transcript) text(last bool) string {
	if last {
		if r := t.lastReply(); r != nil {
			return r.source()
		}
		return ""
	}
	var b strings.Builder
	for _, e := range t.entries {
		s, ok := e.(interface{ source() string })
		if !ok || s.source() == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(s.source())
	}
	return b.String()
}
