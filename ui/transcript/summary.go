package transcript

import (
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// wayBackHint says how messages that were compacted are told to the model again.
const wayBackHint = " · /compact undo brings them back"

// Expanded is what stands there where a summary was taken back.
const Expanded = "The model reads all messages again."

// summaryWords is the line about messages that were compacted. saved is how much that saved, or "": it is not stored.
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

// covered is how many messages a summary stands for.
func covered(m provider.Message) int {
	if m.Covers == nil {
		return 0
	}
	return max(0, m.Covers.Until-m.Covers.From)
}
