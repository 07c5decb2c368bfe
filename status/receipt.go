package status

import (
	"cmp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// noticeable is the minimum time of loading and reading to show, in milliseconds.
const noticeable = 500

// Receipt returns the line after a turn: "✓ 3 tools · load 9s · read 2.1k tok 3s · 412 tok at 31/s · 18s". Parts that
// took no time are left out. For a stopped turn it begins with the reason: "■ Stopped by you · 12 tok · 3s". Errors
// are shown elsewhere.
func Receipt(r provider.Result) string {
	parts := make([]string, 0, 6)
	if words := StoppedWords(r.Stop); words != "" && r.Stop.Reason != provider.Failed {
		parts = append(parts, words)
	}
	if n := len(r.ToolCalls); n > 0 {
		parts = append(parts, usedTools(r.ToolCalls))
	}
	if load := loads(r); load.MS >= noticeable {
		parts = append(parts, LapLine(load))
	}
	if n := read(r); n > 0 && r.Timing.Prompt >= noticeable {
		parts = append(parts, LapLine(provider.Lap{Kind: provider.LapRead, Tokens: n, MS: r.Timing.Prompt}))
	}
	if n := r.Usage.AnswerTokens; n > 0 {
		parts = append(parts, wrote(n, r.Timing.Answer))
	}
	if r.Timing.Total > 0 || r.Stop.Reason == provider.Done || len(parts) == 0 { // else it took no time
		parts = append(parts, brief(r.Timing.Total))
	}
	mark := "✓ "
	if r.Stop.Reason != provider.Done {
		mark = "■ "
	}
	return mark + strings.Join(parts, separator)
}

// usedTools returns "3 tools", or "3 tools, 1 failed".
func usedTools(calls []provider.ToolCall) string {
	failed := 0
	for _, c := range calls {
		if c.Status == provider.CallError {
			failed++
		}
	}
	tools := quantity.Plural(len(calls), "tool")
	if failed > 0 {
		tools += ", " + quantity.Count(failed) + " failed"
	}
	return tools
}

// loads sums up the loads of the model. Without laps that includes the few milliseconds that a server reports for a
// loaded model.
func loads(r provider.Result) provider.Lap {
	all := provider.Lap{Kind: provider.LapLoad}
	if len(r.Timing.Steps) == 0 {
		all.MS = r.Timing.Load
	}
	for _, lap := range r.Timing.Steps {
		if lap.Kind == provider.LapLoad {
			all.MS += lap.MS
			all.From, all.To = cmp.Or(all.From, lap.From), cmp.Or(lap.To, all.To)
		}
	}
	return all
}

// read returns how many tokens were read, without cached ones if that is known.
func read(r provider.Result) int {
	sum := 0
	for _, lap := range r.Timing.Steps {
		if lap.Kind == provider.LapRead {
			sum += lap.Tokens
		}
	}
	return cmp.Or(sum, r.Usage.PromptTokens)
}

// LapLine returns the line of a lap in an open receipt: "load 9s (context 8k → 16k)", "read 2.1k tok 3s",
// "412 tok at 31/s · 13s", "Read File · 0.4s".
func LapLine(l provider.Lap) string {
	took := brief(l.MS)
	switch l.Kind {
	case provider.LapLoad:
		if l.From > 0 {
			return "load " + took + " (context " + quantity.Size(l.From) + " → " + quantity.Size(l.To) + ")"
		}
		return "load " + took
	case provider.LapRead:
		return "read " + quantity.Count(l.Tokens) + " tok " + took
	case provider.LapCompact:
		return "Compacting" + separator + took
	case provider.LapWrite:
		if l.MS <= 0 { // not measured
			return wrote(l.Tokens, 0)
		}
		return wrote(l.Tokens, l.MS) + separator + took
	}
	line := l.Title + separator + took
	switch l.Status {
	case provider.CallOK:
	case provider.CallCancelled:
		line += separator + "stopped"
	default:
		line += separator + string(l.Status)
	}
	return line
}

// wrote returns "412 tok at 31/s", or "412 tok" if the speed is unknown.
func wrote(tokens int, ms int64) string {
	if ms <= 0 || tokens <= 0 {
		return quantity.Count(tokens) + " tok"
	}
	return quantity.Count(tokens) + " tok at " + quantity.PerSecond(tokens, milliseconds(ms)) + "/s"
}

func brief(ms int64) string { return quantity.Brief(milliseconds(ms)) }

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
