package status

import (
	"cmp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider/event"
)

// noticeable is the minimum time of loading and reading to show, in milliseconds.
const noticeable = 500

// Receipt returns the line after a turn: "✓ 3 tools · load 9s · read 2.1k tok 3s · 412 tok at 31/s · 18s". Parts that
// took no time are left out. For a stopped turn it begins with the reason: "■ Stopped by you · 12 tok · 3s", unless
// Ending or a notice gives it: "■ Stopped · 12 tok · 3s", "✗ Failed · load 9s · 9s".
func Receipt(r event.Result) string {
	mark, parts := "■ ", make([]string, 0, 6)
	switch {
	case r.Stop.Reason == event.Done:
		mark = "✓ "
	case r.Stop.Reason == event.Failed:
		mark, parts = "✗ ", append(parts, "Failed")
	case r.Stop.ByLimit():
		parts = append(parts, phaseWords[Stopped])
	default:
		parts = append(parts, stoppedWords(r.Stop))
	}
	if n := len(r.ToolCalls); n > 0 {
		parts = append(parts, usedTools(r.ToolCalls))
	}
	if load := loads(r); load.MS >= noticeable {
		parts = append(parts, LapLine(load))
	}
	if read := reads(r); read.Tokens > 0 && read.MS >= noticeable {
		parts = append(parts, LapLine(read))
	}
	if n := r.Usage.AnswerTokens; n > 0 {
		parts = append(parts, wrote(n, r.Usage.AnswerMark, r.Timing.Answer))
	}
	if r.Timing.Total > 0 || r.Stop.Reason == event.Done || len(parts) == 0 { // else it took no time
		parts = append(parts, brief(r.Timing.Total))
	}
	return mark + strings.Join(parts, separator)
}

// usedTools returns "3 tools", or "3 tools, 1 failed".
func usedTools(calls []event.ToolCall) string {
	failed := 0
	for _, c := range calls {
		if c.Status == event.CallError {
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
func loads(r event.Result) event.Lap {
	all := event.Lap{Kind: event.LapLoad}
	if len(r.Timing.Steps) == 0 {
		all.MS = r.Timing.Load
	}
	for _, lap := range r.Timing.Steps {
		if lap.Kind == event.LapLoad {
			all.MS += lap.MS
			all.From, all.To = cmp.Or(all.From, lap.From), cmp.Or(lap.To, all.To)
		}
	}
	return all
}

// reads sums up what was read. The sum has the weakest mark of its parts. Without laps, cached tokens may be among
// those of the prompts.
func reads(r event.Result) event.Lap {
	all := event.Lap{Kind: event.LapRead, MS: r.Timing.Prompt}
	most := 0
	for _, lap := range r.Timing.Steps {
		if lap.Kind == event.LapRead {
			all.Tokens, most, all.Mark = all.Tokens+lap.Tokens, most+max(lap.Tokens, lap.Most), max(all.Mark, lap.Mark)
		}
	}
	switch {
	case all.Tokens == 0:
		all.Tokens, all.Mark = r.Usage.PromptTokens, event.UpTo
	case all.Mark == event.UpTo:
		all.Tokens = most
	}
	return all
}

// LapLine returns the line of a lap in an open receipt: "load 9s (context 8k → 16k)", "read about 2.1k tok 3s",
// "412 tok at 31/s · 13s", "Read File · 0.4s".
func LapLine(l event.Lap) string {
	took := brief(l.MS)
	switch l.Kind {
	case event.LapLoad:
		if l.From > 0 {
			return "load " + took + " (context " + quantity.Size(l.From) + " → " + quantity.Size(l.To) + ")"
		}
		return "load " + took
	case event.LapRead:
		return "read " + marked(l.Mark, l.Tokens) + " tok " + took
	case event.LapCompact:
		return "Compacting" + separator + took
	case event.LapWrite:
		wrote := wrote(l.Tokens, l.Mark, l.MS)
		if l.MS <= 0 { // not measured
			return wrote
		}
		return wrote + separator + took
	}
	line := l.Title + separator + took
	switch l.Status {
	case event.CallOK:
	case event.CallCancelled:
		line += separator + "stopped"
	default:
		line += separator + string(l.Status)
	}
	return line
}

// wrote returns "412 tok at 31/s", or "412 tok" or "about 412 tok" if the speed is unknown.
func wrote(tokens int, mark event.Mark, ms int64) string {
	wrote := marked(mark, tokens) + " tok"
	if ms <= 0 || tokens <= 0 || mark != event.Counted {
		return wrote
	}
	return wrote + " at " + quantity.PerSecond(tokens, milliseconds(ms)) + "/s"
}

func brief(ms int64) string { return quantity.Brief(milliseconds(ms)) }

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
