package transcript

import (
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// summaryWords describes a compaction. saved is how much it saved, or "" because that is not stored.
func summaryWords(m provider.Message, saved string) string {
	switch {
	case m.Drops != "":
		return "Left out " + sanitize.Line(m.Drops) + ", from your next message on"
	case m.Text == "" || m.Covers == nil:
		return "Left out older tool results" + saved
	}
	return "Compacted " + quantity.Plural(max(0, m.Covers.Until-m.Covers.From), "message") + saved
}

// Summary appends a summary that was made between two turns.
func (t *Transcript) Summary(m provider.Message) { t.Notice(Info, summaryWords(m, "")) }

// savedWords returns ": about 12.4k → 3.1k tokens".
func savedWords(ev event.Compacted) string {
	return ": about " + quantity.Count(ev.Before) + " → " + quantity.Count(ev.After) + " tokens"
}
