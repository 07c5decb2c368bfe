package composer

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textarea"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// search finds an earlier input, while the editor has the words to look for.
type search struct {
	draft state // shown again afterwards
	undo  undo  // of the draft
	query string
	found []attach.Input // the newest first
}

// Search begins to list the earlier inputs that have the words you type. While it lists them, it chooses an older one.
func (p *Composer) Search() {
	if p.search != nil {
		p.step(1)
		return
	}
	p.search = &search{draft: p.state(), undo: p.undo, query: "\n"}
	p.label("search › ", "words of an earlier message")
	p.Clear()
}

// Newer chooses a newer one of the listed inputs, and reports whether you are searching.
func (p *Composer) Newer() bool { return p.search != nil && p.step(-1) }

// label sets what is shown before the draft, and instead of an empty one.
func (p *Composer) label(text, placeholder string) {
	blank := strings.Repeat(" ", len([]rune(text)))
	p.area.SetPromptFunc(len(blank), func(line textarea.PromptInfo) string {
		if line.LineNumber == 0 {
			return text
		}
		return blank
	})
	p.area.Placeholder = placeholder
	p.area.SetWidth(max(4, p.width))
}

// find lists the inputs with all words of the query, without doubles.
func (p *Composer) find() {
	s, query := p.search, strings.ToLower(p.Value())
	if query == s.query {
		return
	}
	// The completions stay shut, so that Refresh does not list them.
	s.query, s.found, p.matches, p.list, p.shut = query, nil, nil, look.List{}, true
	seen := map[string]bool{}
	for _, in := range slices.Backward(p.entries) {
		text := strings.ToLower(in.Text)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if len(s.found) == mostMatches || seen[in.Text] || slices.ContainsFunc(strings.Fields(query), lacks) {
			continue
		}
		seen[in.Text] = true
		s.found = append(s.found, in)
		line := sanitize.Line(sanitize.Cut(in.Text, 1000))
		m := match{insert: line, detail: p.folders[in.Text]}
		for _, found := range fuzzy.Find(query, 1, func(int) string { return line }, nil) {
			m.marks = found.Letters(line)
		}
		p.matches = append(p.matches, m)
	}
	if len(s.found) == 0 {
		p.matches = []match{{insert: "No earlier message has these words"}}
	}
}

// choose ends the search with the chosen input. The draft becomes an earlier input.
func (p *Composer) choose() {
	found, at := p.search.found, p.list.At
	if at >= len(found) {
		return
	}
	p.Dismiss()
	if draft := p.input().Trim(); draft.Text != "" {
		p.discarded(draft)
	}
	p.Set(found[at])
	p.completion.close()
}

// Dismiss ends the search and shows the draft again, or hides the completions. It reports whether something was shown.
func (p *Composer) Dismiss() bool {
	s := p.search
	if s == nil {
		return p.completion.dismiss()
	}
	p.search = nil
	p.label("› ", "Ask anything")
	p.chips, p.undo = slices.Clip(s.draft.chips), s.undo
	p.show(s.draft)
	p.changed()
	p.completion.close()
	return true
}
