package transcript

import (
	"bufio"
	"io"
	"slices"

	"github.com/aloudchat/aloud/ui/markdown"
)

// Unfolded returns a copy of the conversation with everything unfolded and complete. It shares no data that changes, so
// it may be drawn in another goroutine, which takes long for a long conversation.
func (t *Transcript) Unfolded() *Transcript {
	c := New()
	c.look, c.width, c.height = t.open, t.width, t.height
	for _, e := range t.entries {
		c.entries = append(c.entries, e.fresh())
	}
	return c
}

// Dump writes the last rows, or all of them if last is 0. Rows have colours, which the writer must remove if the
// terminal does not support them.
func (t *Transcript) Dump(w io.Writer, last int) error {
	t.leave()
	printed := *t.look
	printed.Printed = true
	t.look = &printed
	var from anchor
	if last > 0 {
		from = t.back(last)
	}
	b := bufio.NewWriter(w)
	for _, row := range t.rowsFrom(from) {
		b.WriteString(row)
		b.WriteByte('\n')
	}
	return b.Flush()
}

// Answer returns the Markdown source of the last answer, or "".
func (t *Transcript) Answer() string {
	for _, e := range slices.Backward(t.entries) {
		if reply, ok := e.(*replyEntry); ok && reply.source() != "" {
			return reply.source()
		}
	}
	return ""
}

// Code returns the nth block of code from the end of the conversation, or "".
func (t *Transcript) Code(n int) string {
	for _, e := range slices.Backward(t.entries) {
		if reply, ok := e.(*replyEntry); ok {
			blocks := markdown.Code(reply.source())
			if n <= len(blocks) {
				return blocks[len(blocks)-n]
			}
			n -= len(blocks)
		}
	}
	return ""
}
