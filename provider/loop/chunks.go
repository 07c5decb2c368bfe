package loop

import (
	"context"
	"fmt"
	"iter"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/repair"
)

// received is a chunk of the stream, or the error that ended it.
type received struct {
	chunk provider.Chunk
	err   error
}

// receive requests a reply in a goroutine, so that silence can be noticed. The caller must call hangUp, which returns
// when the goroutine has ended. A panic of the model becomes an error.
func (c Chat) receive(
	ctx context.Context, req provider.Request, known repair.Known,
) (_ <-chan received, hangUp func()) {
	ctx, cancel := context.WithCancel(ctx)
	chunks := make(chan received, 8) // buffered so that the goroutines need not switch for every token
	go func() {
		defer close(chunks)
		send := func(r received) bool {
			select {
			case chunks <- r:
				return true
			case <-ctx.Done():
				return false
			}
		}
		defer func() {
			if p := recover(); p != nil {
				text := fmt.Sprintf("reading the reply failed, which is a bug in aloud: %v", p)
				send(received{err: &provider.Error{Text: text, Hint: "ask again"}})
			}
		}()
		for chunk, err := range c.model(known).Chat(ctx, req) {
			if !send(received{chunk, err}) {
				return
			}
		}
	}()
	return chunks, func() {
		cancel()
		for range chunks { // until the goroutine has ended
		}
	}
}

// chunks requests a reply and yields its chunks. The request has ended when the loop ends.
func (c Chat) chunks(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		chunks, hangUp := c.receive(ctx, req, repair.Known{})
		defer hangUp()
		for r := range chunks {
			if !yield(r.chunk, r.err) {
				return
			}
		}
	}
}

// listen takes chunks until the last one, which it returns. The request has ended when it returns.
func (l *listener) listen(ctx context.Context, req provider.Request) (done provider.Chunk, err error) {
	chunks, hangUp := l.chat.receive(ctx, req, l.forRepair(req.Tools))
	defer hangUp()
	l.listenForSilence()
	defer l.silence.timer.Stop()
	for {
		select {
		case r, ok := <-chunks:
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
			if ctx.Err() != nil { // do not take the chunks that are left in the channel
				return provider.Chunk{}, ctx.Err()
			}
		case <-l.silence.timer.C:
			if len(chunks) > 0 { // the reader was slow, not the model
				l.silence.timer.Reset(l.silence.limit)
			} else if err := l.stall(); err != nil {
				return provider.Chunk{}, err
			}
		case <-l.clock.late:
			l.emit(event.Finishing{})
		case <-ctx.Done():
			return provider.Chunk{}, ctx.Err()
		}
	}
}

// model returns the chat's model with its replies limited, logged and then repaired.
func (c Chat) model(known repair.Known) provider.Model {
	m := provider.Plain(c.Model, c.Log)
	if c.Repair != nil {
		m = c.Repair(m, known)
	}
	return m
}
