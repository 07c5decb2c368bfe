package provider

import (
	"context"
	"fmt"
	"iter"
)

// received is a chunk on its way from the model's goroutine, or the error that ended the stream.
type received struct {
	chunk Chunk
	err   error
}

// receive asks the model in a goroutine of its own, which lets a silence be noticed. The caller must call hangUp: when it returns, nothing of the
// request runs any more. A panic of the model is an error.
func (c *Chat) receive(ctx context.Context, req Request) (heard <-chan received, hangUp func()) {
	ctx, cancel := context.WithCancel(ctx)
	said := make(chan received, 8) // so that the two need not take turns for every token
	go func() {
		defer close(said)
		tell := func(r received) bool {
			select {
			case said <- r:
				return true
			case <-ctx.Done():
				return false
			}
		}
		defer func() {
			if p := recover(); p != nil {
				tell(received{err: &Error{Text: fmt.Sprintf("the reply broke off, which is a fault of aloud: %v", p), Hint: "ask again"}})
			}
		}()
		for chunk, err := range c.model().Chat(ctx, req) {
			if !tell(received{chunk, err}) {
				return
			}
		}
	}()
	return said, func() {
		cancel()
		for range said { // until the goroutine has ended
		}
	}
}

// chunks gives what the model answers. When the loop over it ends, nothing of the request runs any more.
func (c *Chat) chunks(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		heard, hangUp := c.receive(ctx, req)
		defer hangUp()
		for r := range heard {
			if !yield(r.chunk, r.err) {
				return
			}
		}
	}
}

// listen takes chunks until the last one, which it returns. When it returns, nothing of the request runs any more.
func (l *listener) listen(ctx context.Context, req Request) (done Chunk, err error) {
	heard, hangUp := l.chat.receive(ctx, req)
	defer hangUp()
	l.listenForSilence()
	defer l.silence.timer.Stop()
	for {
		select {
		case r, ok := <-heard:
			if !ok {
				return Chunk{}, ctx.Err()
			}
			if r.err != nil {
				return Chunk{}, r.err
			}
			l.spoke(r.chunk)
			l.take(r.chunk, req)
			if r.chunk.Done {
				return r.chunk, nil
			}
			if ctx.Err() != nil { // chunks may still wait in the channel, which are not wanted any more
				return Chunk{}, ctx.Err()
			}
		case <-l.silence.timer.C:
			if len(heard) > 0 { // it was the reader who took so long
				l.silence.timer.Reset(l.silence.limit)
			} else if err := l.stall(); err != nil {
				return Chunk{}, err
			}
		case <-l.clock.late:
			l.emit(Finishing{})
		case <-ctx.Done():
			return Chunk{}, ctx.Err()
		}
	}
}

// model is the chat's with its replies bounded and logged, and then repaired.
func (c *Chat) model() Model {
	m := Model(plainModel{c.Model, c})
	if c.Repair != nil {
		m = c.Repair(m)
	}
	return m
}

// plainModel gives the chunks of a model one thing each, and an error when the last one is missing.
type plainModel struct {
	Model
	chat *Chat
}

func (m plainModel) Chat(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	req.Messages, req.Hint = req.spoken(), ""
	chunks := bounded(m.Model.Chat(ctx, req))
	if m.chat.logs() {
		chunks = logged(m.chat.Log, req, chunks)
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
