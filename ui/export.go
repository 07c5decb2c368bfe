package ui

import (
	"bufio"
	"io"
	"strings"
)

// unfolded is a copy of the whole conversation with nothing folded or left out. Drawing it takes long when the conversation is long, but may
// be done elsewhere: it shares nothing that changes.
func (t *transcript) unfolded() *transcript {
	look := *t.look
	look.Thinking, look.Details, look.Whole = true, true, true
	c := &transcript{entries: make([]entry, len(t.entries)), look: &look, width: t.width, height: t.height}
	for i, e := range t.entries {
		c.entries[i] = e.fresh()
	}
	return c
}

// dump writes the rows from one on, and lets go of them. Rows carry colours; a writer that knows the terminal takes out what is too much.
func (t *transcript) dump(w io.Writer, from anchor) error {
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
		t.entries[i].forget()
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
