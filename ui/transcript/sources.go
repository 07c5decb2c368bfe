package transcript

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

const (
	shownSources = 8       // under an answer
	keptSources  = 200     // for the pager and /copy, because a server may name thousands
	longSource   = 2 << 10 // bytes of an address; longer ones are data
)

// sourcesEntry has the sources of an answer: the addresses that tools named. They are text and not links, because an
// address that is too wide loses its middle, and you should not follow an address that you cannot see.
type sourcesEntry struct {
	all  []string // clean, each on one line
	more int      // number of sources left out
	drawn
}

func newSourcesEntry(sources []string) *sourcesEntry {
	e := &sourcesEntry{}
	for _, uri := range sources {
		if len(e.all) == keptSources {
			e.more++
		} else if uri = sanitize.Line(strings.Clone(sanitize.Cut(uri, longSource))); uri != "" {
			e.all = append(e.all, uri)
		}
	}
	return e
}

func (e *sourcesEntry) lines(width int, st *look.Look) []string {
	if !e.stale(width, st) || len(e.all) == 0 {
		return e.rows
	}
	shown := e.all[:min(len(e.all), shownSources)]
	if st.Whole {
		shown = e.all
	}
	indent := len("Sources: ")
	for i, uri := range shown {
		head := fmt.Sprintf("%*s[%d] ", indent, "", i+1)
		if i == 0 {
			head = "Sources: [1] "
		}
		if !st.Whole {
			uri = st.Middle(uri, max(1, width-len(head)))
		}
		e.rows = append(e.rows, markdown.Chop(head+uri, width, st.Method)...)
	}
	if more := len(e.all) - len(shown) + e.more; more > 0 {
		e.rows = append(e.rows, st.Clip(fmt.Sprintf("%*sand %s more", indent, "", look.Thousands(more)), width))
	}
	look.Paint(e.rows, st.Dim)
	return e.rows
}

func (e *sourcesEntry) fresh() entry { return &sourcesEntry{all: e.all, more: e.more} }
