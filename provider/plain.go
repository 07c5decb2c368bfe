package provider

import (
	"context"
	"iter"
	"log/slog"
)

// Plain wraps a model so that its replies are limited in size and logged at debug level. log may be nil.
func Plain(m Model, log *slog.Logger) Model { return plainModel{m, log} }

// plainModel splits chunks into single parts, and fails if the last chunk is missing.
type plainModel struct {
	Model
	log *slog.Logger
}

func (m plainModel) Chat(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
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
		const text = "the model server ended its reply in the middle"
		yield(Chunk{}, &Error{Kind: KindBroken, Text: text, Hint: "ask again, or continue the partial answer"})
	}
}

// split yields the parts of a chunk one by one.
func (c Chunk) split(yield func(Chunk, error) bool) bool {
	parts := [...]Chunk{{Notice: c.Notice}, {Phase: c.Phase, Context: c.Context}, {Thinking: c.Thinking}, {Text: c.Text},
		{Calls: c.Calls}}
	for _, part := range parts {
		empty := part.Notice == "" && part.Phase == PhaseNone && part.Text == "" && part.Thinking == "" &&
			len(part.Calls) == 0
		if !empty && !yield(part, nil) {
			return false
		}
	}
	return !c.Done || yield(Chunk{Done: true, Reason: c.Reason, Usage: c.Usage}, nil)
}
