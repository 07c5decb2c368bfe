package loop

import (
	"context"
	"fmt"
	"iter"

	"github.com/aloudchat/aloud/provider"
)

// received is a chunk on its way from the model's goroutine, or the error that ended the stream.
type received struct {
	chunk provider.Chunk
	err   error
}

// receive asks the model in a goroutine of its own, which lets a silence be noticed. The caller must call hangUp: when it returns, nothing of the
// request runs any more. A panic of the model is an error.
func (c *Chat) receive(ctx context.Context, req provider.Request) (heard <-chan received, hangUp func()) {
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
				tell(received{err: &provider.Error{Text: fmt.Sprintf("the reply broke off, which is a fault of aloud: %v", p), Hint: "ask again"}})
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
func (c *Chat) chunks(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
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
func (l *listener) listen(ctx context.Context, req provider.Request) (done provider.Chunk, err error) {
	heard, hangUp := l.chat.receive(ctx, req)
	defer hangUp()
	l.listenForSilence()
	defer l.silence.timer.Stop()
	for {
		select {
		case r, ok := <-heard:
			if !ok {
				return provider.Chunk{}, ctx.Err()
			}
			if r.err != nil {
				return provider.Chunk{}, r.err
			}
			l.spoke(r.chunk)
			l.take(r.chunk, req)
			if r.chunk.Done {
				return r.chunk, nil
			}
			if ctx.Err() != nil { // chunks may still wait in the channel, which are not wanted any more
				return provider.Chunk{}, ctx.Err()
			}
		case <-l.silence.timer.C:
			if len(heard) > 0 { // it was the reader who took so long
				l.silence.timer.Reset(l.silence.limit)
			} else if err := l.stall(); err != nil {
				return provider.Chunk{}, err
			}
		case <-l.clock.late:
			l.emit(provider.Finishing{})
		case <-ctx.Done():
			return provider.Chunk{}, ctx.Err()
		}
	}
}

// model is the chat's with its replies bounded and logged, and then repaired.
func (c *Chat) model() provider.Model {
	m := provider.Plain(c.Model, c.Log)
	if c.Repair != nil {
		m = c.Repair(m)
	}
	return m
}
