package composer

import (
	"github.com/aloudchat/aloud/provider/attach"
)

// history walks through earlier inputs.
type history struct {
	entries []attach.Input // the oldest first
	at      int            // the one being shown; len(entries): the draft
	draft   attach.Input
}

// load puts what was said in earlier sessions before what was said in this one.
func (h *history) load(earlier []string) {
	entries := make([]attach.Input, 0, len(earlier)+len(h.entries))
	for _, text := range earlier {
		entries = append(entries, attach.Typed(text))
	}
	h.entries = append(entries, h.entries...)
	h.at += len(earlier)
}

// add appends an input, unless it repeats the last one.
func (h *history) add(in attach.Input) (added bool) {
	if n := len(h.entries); n == 0 || h.entries[n-1].Text != in.Text {
		h.entries = append(h.entries, in)
		added = true
	}
	h.at = len(h.entries)
	return added
}

// previous returns the entry before the shown one; the draft is kept for the way back.
func (h *history) previous(draft attach.Input) (attach.Input, bool) {
	if h.at == 0 {
		return attach.Input{}, false
	}
	if h.at == len(h.entries) {
		h.draft = draft
	}
	h.at--
	return h.entries[h.at], true
}

// next returns the entry after the shown one, at the end the draft.
func (h *history) next() (attach.Input, bool) {
	if h.at >= len(h.entries) {
		return attach.Input{}, false
	}
	h.at++
	if h.at == len(h.entries) {
		return h.draft, true
	}
	return h.entries[h.at], true
}

// Remember puts what was said in earlier sessions, the oldest first, before what was said in this one.
func (p *Composer) Remember(earlier []string) { p.history.load(earlier) }

// Said keeps an input to be walked back to, and reports whether it differs from the last.
func (p *Composer) Said(in attach.Input) (another bool) { return p.history.add(in) }
