package provider

import (
	"context"
	"iter"
	"log/slog"
)

// Plain returns the model with its replies bounded, and with what is asked and answered in the log at debug level. log may be nil.
func Plain(m Model, log *slog.Logger) Model { return plainModel{m, log} }

// plainModel gives the chunks of a model one thing each, and an error when the last one is missing.
type plainModel struct {
	Model
	log *slog.Logger
}

func (m plainModel) Chat(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	req.Messages, req.Hint = req.Spoken(), ""
	chunks := bounded(m.Model.Chat(ctx, req))
	if m.log != nil && m.log.Enabled(ctx, slog.LevelDebug) {
		chunks = logged(m.log, req, chunks)
	}
	return func(yield func(Chunk, error) bool) {
		if req.Purpose == ForAnswer && !yield(Chunk{Phase: PhaseAsked}, nil) {
			return
		}
		for c, err := range chunks {
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			if !c.split(yield) || c.Done {
				return
			}
		}
		if ctx.Err() != nil {
			yield(Chunk{}, ctx.Err())
			return
		}
		yield(Chunk{}, &Error{Kind: KindBroken, Text: "the model server ended its reply in the middle", Hint: "ask again, or go on with what is there"})
	}
}

// empty reports whether a chunk says nothing.
func (c Chunk) empty() bool {
	return c.Phase == PhaseNone && c.Text == "" && c.Thinking == "" && len(c.Calls) == 0
}

// split yields the parts of a chunk one by one.
func (c Chunk) split(yield func(Chunk, error) bool) bool {
	for _, part := range [...]Chunk{{Phase: c.Phase, Context: c.Context}, {Thinking: c.Thinking}, {Text: c.Text}, {Calls: c.Calls}} {
		if !part.empty() && !yield(part, nil) {
			return false
		}
	}
	return !c.Done || yield(Chunk{Done: true, Reason: c.Reason, Usage: c.Usage}, nil)
}
