package provider

import (
	"cmp"
	"iter"
	"log/slog"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// logged passes on a reply and logs the request and its outcome: sizes, names and counts, never the content.
func logged(log *slog.Logger, req Request, chunks iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		log = log.With("purpose", req.Purpose.String())
		bytes, images, tools := 0, 0, 0
		for _, m := range req.Messages {
			bytes += len(m.Text) + len(m.Thinking)
			images += len(m.Images)
		}
		for _, t := range req.Tools {
			tools += len(t.Description) + len(t.Schema)
		}
		log.Debug("request", "model", req.Model, "messages", len(req.Messages), "bytes", bytes, "images", images,
			"tools", len(req.Tools), "tool_bytes", tools, "estimate", Estimate(req.Messages, req.Tools),
			"context", req.Context, "think", string(cmp.Or(req.Think, ThinkAuto)), "max_tokens", req.MaxTokens)
		began, first := time.Now(), time.Duration(-1)
		text, thinking, calls := 0, 0, []string{}
		end := Chunk{Reason: "left"} // if the caller leaves the loop
		failure := []any{}
		defer func() {
			u := end.Usage
			log.With("took_ms", time.Since(began).Milliseconds(), "text_bytes", text, "thinking_bytes", thinking,
				"calls", calls, "prompt_tokens", u.PromptTokens, "read_tokens", u.ReadTokens, "answer_tokens", u.AnswerTokens,
				"load_ms", u.Load.Milliseconds(), "prompt_ms", u.Prompt.Milliseconds(),
				"answer_ms", u.Answer.Milliseconds(), "first_ms", first.Milliseconds(),
			).Debug("reply", append(failure, "reason", end.Reason)...)
		}()
		for c, err := range chunks {
			if first < 0 && c.Phase == PhaseNone && err == nil {
				first = time.Since(began)
			}
			text, thinking = text+len(c.Text), thinking+len(c.Thinking)
			for _, call := range c.Calls {
				calls = append(calls, sanitize.Cut(call.Name, 200))
			}
			if c.Done {
				end = c
			}
			if err != nil {
				kind, _ := kindOf(err)
				failure, end.Reason = []any{"error", sanitize.Cut(err.Error(), 500), "kind", kind.String()}, "error"
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
