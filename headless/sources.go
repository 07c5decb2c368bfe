package headless

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	mostSources   = 20  // the JSON formats and the session have all
	longestSource = 500 // bytes: more than any address that a person would open
)

// sources lists where an answer came from: below it on a terminal, else beside it, so that a pipe gets the answer and nothing else.
func (p *textPrinter) sources(r provider.Result) {
	if len(r.Sources) == 0 || r.Answer == "" {
		return
	}
	var b strings.Builder
	b.WriteString("Sources:\n")
	for i, source := range r.Sources {
		if i == mostSources {
			fmt.Fprintf(&b, "… and %d more\n", len(r.Sources)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", sourceLine(source))
	}
	if p.terminal {
		fmt.Fprint(p.out, "\n"+b.String())
		return
	}
	if !p.quiet {
		fmt.Fprint(p.err, b.String())
	}
}

func sourceLine(source string) string {
	return sanitize.Line(sanitize.Clip(source, longestSource))
}
