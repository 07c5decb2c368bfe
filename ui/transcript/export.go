package transcript

import (
	"bufio"
	"io"
	"strings"
)

// Unfolded is a copy of the whole conversation with nothing folded or left out. Drawing it takes long when the conversation is long, but may
// be done elsewhere: it shares nothing that changes.
func (t *Transcript) Unfolded() *Transcript {
	all := *t.look
	all.Thinking, all.Details, all.Whole = true, true, true
	c := &Transcript{entries: make([]entry, len(t.entries)), look: &all, width: t.width, height: t.height}
	for i, e := range t.entries {
		c.entries[i] = e.fresh()
	}
	return c
}

// Dump writes the last so many rows, or with 0 all of them, and lets go of them. Rows carry colours; a writer that knows the terminal takes out
// what is too much.
func (t *Transcript) Dump(w io.Writer, last int) error {
	var from anchor
	if last > 0 {
		from = t.back(last)
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
		t.entries[i].forget()
	}
	return b.Flush()
}

// Text returns the Markdown source of the last answer or of the whole conversation.
func (t *Transcript) Text(last bool) string {
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
