package event

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// LogEvent logs an event: sizes, names and counts, never the content.
func LogEvent(log *slog.Logger, e Event) {
	switch e := e.(type) {
	case Notice:
		log.Debug("notice", "text", sanitize.Cut(e.Text, 500))
	case ToolCalled:
		c := e.Call
		log.Debug("call", "id", c.ID, "name", c.Name, "bytes", len(c.Arguments), "repairs", len(c.Repairs))
	case ToolFinished:
		c := e.Call
		log.Debug("result", "id", c.ID, "name", c.Name, "status", string(c.Status), "bytes", len(c.Result),
			"took_ms", c.DurationMS)
	case Asked:
		log.Debug("approval", "id", e.Call.ID, "name", e.Call.Name)
	case Withdrawn, Stalled, Compacted:
		log.Debug(strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "event.")), "event", fmt.Sprintf("%+v", e))
	case Ended:
		r, failed := e.Result, 0
		for _, c := range r.ToolCalls {
			if c.Status == CallError {
				failed++
			}
		}
		log.Debug("turn ended", "reason", string(r.Stop.Reason), "detail", sanitize.Cut(r.Stop.Detail, 500),
			"rounds", r.Rounds, "calls", len(r.ToolCalls), "failed", failed, "answer_bytes", len(r.Answer),
			"context_used", r.Usage.ContextUsed, "context_size", r.Usage.ContextSize,
			"load_ms", r.Timing.Load, "prompt_ms", r.Timing.Prompt, "answer_ms", r.Timing.Answer,
			"tools_ms", r.Timing.Tools, "total_ms", r.Timing.Total)
	}
}
