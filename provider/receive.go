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

// receive asks the model in a goroutine of its own, which lets a silence be noticed. The goroutine ends soon after ctx; the channel is closed
// then and not before.
func (c *Chat) receive(ctx context.Context, req Request) <-chan received {
	heard := make(chan received, 8) // so that the two need not take turns for every token
	go func() {
		defer close(heard)
		tell := func(r received) bool {
			select {
			case heard <- r:
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
		chunks := bounded(c.Model.Chat(ctx, req))
		if c.logs() {
			chunks = logged(c.Log, req, chunks)
		}
		for chunk, err := range chunks {
			if !tell(received{chunk, err}) {
				return
			}
		}
	}()
	return heard
}

// chunks gives what the model answers. When the loop over it ends, nothing of the request runs any more; a panic of the model is an error.
func (c *Chat) chunks(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		asking, hangUp := context.WithCancel(ctx)
		heard := c.receive(asking, req)
		defer func() {
			hangUp()
			for range heard { // until the goroutine has ended
			}
		}()
		for r := range heard {
			if !yield(r.chunk, r.err) {
				return
			}
		}
	}
}

// listen takes chunks until the last one, which it returns. When it returns, nothing of the request runs any more.
func (l *listener) listen(ctx context.Context, req Request) (done Chunk, err error) {
	asking, hangUp := context.WithCancel(ctx)
	heard := l.chat.receive(asking, req)
	defer func() {
		hangUp()
		for range heard { // until the goroutine has ended
		}
	}()
	l.listenForSilence()
	defer l.silence.timer.Stop()
	for {
		select {
		case r, ok := <-heard:
			if !ok {
				return Chunk{}, ended(ctx)
			}
			if r.err != nil {
				return Chunk{}, r.err
			}
			l.spoke(r.chunk)
			l.take(r.chunk)
			if r.chunk.Done {
				return r.chunk, nil
			}
			if ctx.Err() != nil { // chunks may still wait in the channel, but nobody wants them any more
				return Chunk{}, ctx.Err()
			}
			if l.overthinks() {
				return Chunk{}, errOverthinking
			}
		case <-l.silence.timer.C:
			if len(heard) > 0 { // it was the reader who took so long
				l.silence.timer.Reset(l.silence.limit)
			} else if err := l.stall(); err != nil {
				return Chunk{}, err
			}
		case <-l.naps.woke:
			l.tell()
		case <-l.clock.late:
			l.tell()
		case <-ctx.Done():
			return Chunk{}, ctx.Err()
		}
	}
}

// ended is the error of a stream that stopped without its last chunk.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{Kind: KindBroken, Text: "the model server ended its reply in the middle", Hint: "ask again, or go on with what is there"}
}
