package transcript

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// change is the change to a file for which a call needed approval. Sessions do not store it.
type change struct {
	diff string // unified, its end truncated if it is long; "" for no change
	cut  bool   // the end is truncated
	file string
	size string // "+2 −1", of the whole diff
}

func newChange(diff string) change {
	added, removed := event.DiffCounts(diff)
	_, after, _ := strings.Cut(diff, "\n+++ ")
	file, _, _ := strings.Cut(after, "\n")
	c := change{diff: keep(diff), file: strings.Clone(sanitize.Line(file)), size: fmt.Sprintf("+%d −%d", added, removed)}
	if c.cut = len(c.diff) < len(diff); c.cut {
		c.diff = c.diff[:strings.LastIndex(c.diff, "\n")+1] // whole lines
	}
	return c
}

// words describes the change in room cells. A long file name is shortened, and the size is not.
func (c change) words(room int) string {
	return look.Dotted(sanitize.CutMiddle(c.file, max(8, room-len(separator+c.size))), c.size)
}

// rows draws the beginning of the change, or all that is kept of it in the pager.
func (c change) rows(width int, st *look.Look) []string {
	more := ""
	if c.cut {
		more = "… more"
	}
	return beginning(indented(st.Diff(c.diff, width-len(indentOf(width))), width), more, width, st)
}
