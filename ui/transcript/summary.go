package transcript

import (
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// wayBackHint says how to undo a compaction.
const wayBackHint = " · /compact undo brings them back"

// Expanded says that a compaction was undone.
const Expanded = "The model reads all messages again."

// summaryWords describes a compaction. saved is how much that saved, or "": it is not stored.
func summaryWords(m provider.Message, saved string) string {
	switch {
	case covered(m) == 0:
		return Expanded
	case m.Text == "":
		return "Left out older tool results" + saved
	}
	return "Compacted " + quantity.Plural(covered(m), "message") + saved
}

// savedWords is ": 12.4k → 3.1k tokens".
func savedWords(ev provider.Compacted) string {
	return ": " + quantity.Count(ev.Before) + " → " + quantity.Count(ev.After) + " tokens"
}

// covered returns how many messages a summary replaces.
func covered(m provider.Message) int {
	if m.Covers == nil {
		return 0
	}
	return max(0, m.Covers.Until-m.Covers.From)
}
