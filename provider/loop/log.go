package loop

import (
	"log/slog"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// logEvents logs the events and passes them on: sizes, names and counts, never the content.
func (t *turn) logEvents(yield func(event.Event, error) bool) func(event.Event, error) bool {
	log, l := t.chat.Log, t.limits
	log.Debug("turn begins", "model", t.chat.Name, "messages", len(t.history.messages),
		"iterations", l.Iterations, "consecutive_errors", l.ConsecutiveErrors, "total_time", l.TotalTime.String(),
		"silence", l.Silence.String(), "thinking_tokens", l.ThinkingTokens)
	return func(e event.Event, err error) bool {
		logEvent(log, e)
		return yield(e, err)
	}
}

func logEvent(log *slog.Logger, e event.Event) {
	switch e := e.(type) {
	case event.Notice:
		log.Debug("notice", "text", sanitize.Cut(e.Text, 500))
	case event.ToolCalled:
		c := e.Call
		log.Debug("call", "id", c.ID, "name", c.Name, "bytes", len(c.Arguments), "repairs", len(c.Repairs))
	case event.ToolFinished:
		c := e.Call
		log.Debug("result", "id", c.ID, "name", c.Name, "status", string(c.Status), "bytes", len(c.Result),
			"took_ms", c.DurationMS)
	case event.Asked:
		log.Debug("approval", "id", e.Call.ID, "name", e.Call.Name)
	case event.Withdrawn:
		log.Debug("withdrawn", "repeats", e.Repeats)
	case event.Stalled:
		log.Debug("stalled", "silent", e.Silence.String())
	case event.Compacted:
		log.Debug("compacted", "messages", e.Messages, "before", e.Before, "after", e.After)
	case event.Ended:
		r, failed := e.Result, 0
		for _, c := range r.ToolCalls {
			if c.Status == event.CallError {
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
