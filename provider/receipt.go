package provider

import (
	"cmp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/status"
)

// noticeable is the least time, in milliseconds, that loading and reading take to be worth a word.
const noticeable = 500

// Receipt is the dim line after a turn: "✓ 3 tools · load 9s · read 2.1k tok 3s · 412 tok at 31/s · 18s".
// What did not happen or took no time worth a word is left out. For a turn that was stopped it begins with the reason:
// "■ Stopped by you · 12 tok · 3s". That of a failure is told in full elsewhere.
func (r Result) Receipt() string {
	parts := make([]string, 0, 6)
	if words := r.Stop.Words(); words != "" && r.Stop.Reason != Failed {
		parts = append(parts, words)
	}
	if n := len(r.ToolCalls); n > 0 {
		parts = append(parts, status.UsedTools(n, r.failedCalls()))
	}
	if load := r.hasLoaded(); load.MS >= noticeable {
		parts = append(parts, load.Line())
	}
	if n := r.hasRead(); n > 0 && r.Timing.Prompt >= noticeable {
		parts = append(parts, status.HasRead(n, milliseconds(r.Timing.Prompt)))
	}
	if n := r.Usage.AnswerTokens; n > 0 {
		parts = append(parts, status.Wrote(n, milliseconds(r.Timing.Answer)))
	}
	if r.Timing.Total > 0 || r.Stop.Reason == Done || len(parts) == 0 { // else nobody waited for the end
		parts = append(parts, quantity.Brief(milliseconds(r.Timing.Total)))
	}
	mark := "✓ "
	if r.Stop.Reason != Done {
		mark = "■ "
	}
	return mark + strings.Join(parts, " · ")
}

// failedCalls is how many calls gave an error.
func (r Result) failedCalls() (n int) {
	for _, c := range r.ToolCalls {
		if c.Status == CallError {
			n++
		}
	}
	return n
}

// hasLoaded is all loads of the model in one, without the moments for which servers hand out one that is there: over many requests they would
// look like a load. Without laps nobody knows.
func (r Result) hasLoaded() Lap {
	all := Lap{Kind: LapLoad}
	if len(r.Timing.Steps) == 0 {
		all.MS = r.Timing.Load
	}
	for _, lap := range r.Timing.Steps {
		if lap.Kind == LapLoad {
			all.MS += lap.MS
			all.From, all.To = cmp.Or(all.From, lap.From), cmp.Or(lap.To, all.To)
		}
	}
	return all
}

// hasRead is how many tokens were read, without those that the server still had of an earlier request; where nobody knows, all that it counted.
func (r Result) hasRead() int {
	sum := 0
	for _, lap := range r.Timing.Steps {
		if lap.Kind == LapRead {
			sum += lap.Tokens
		}
	}
	return cmp.Or(sum, r.Usage.PromptTokens)
}

// Line is the lap in one safe line, for the receipt when it is unfolded: "load 9s", "412 tok at 31/s · 13s", "Read File · 0.4s".
func (l Lap) Line() string {
	took := milliseconds(l.MS)
	switch l.Kind {
	case LapLoad:
		if l.From > 0 {
			return status.Reloaded(took, l.From, l.To)
		}
		return status.Loaded(took)
	case LapRead:
		return status.HasRead(l.Tokens, took)
	case LapCompact:
		return strings.TrimSuffix(status.Compacting.Words(), "…") + " · " + quantity.Brief(took)
	case LapWrite:
		if l.MS <= 0 { // not every server measures that
			return status.Wrote(l.Tokens, 0)
		}
		return status.Wrote(l.Tokens, took) + " · " + quantity.Brief(took)
	}
	line := l.Title + " · " + quantity.Brief(took)
	switch l.Status {
	case CallOK:
	case CallCancelled:
		line += " · stopped"
	default:
		line += " · " + string(l.Status)
	}
	return line
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
