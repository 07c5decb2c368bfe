package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// lastWords is how long a server may take to send its count of tokens and to end the stream when the reply is finished.
const lastWords = 3 * time.Second

// errLeft says that the caller has left the loop.
var errLeft = errors.New("the caller has left")

// Chat implements provider.Model. A phase is told only when the server says that it loads its model.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		if err := c.chat(ctx, req, yield); err != nil && !errors.Is(err, errLeft) {
			yield(provider.Chunk{}, endpoint.Ended(ctx, err))
		}
	}
}

func (c *Client) chat(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) error {
	stream, err := c.open(ctx, req, yield)
	if err != nil {
		return err
	}
	defer stream.Close()
	l := listener{client: c, req: req, stream: stream, yield: yield}
	err = l.listen()
	if l.giveUp != nil {
		l.giveUp.Stop()
	}
	if err == nil {
		stream.Finish()
	}
	return err
}

// listener passes one reply on.
type listener struct {
	client *Client
	req    provider.Request
	stream *endpoint.Stream
	reply  reply
	yield  func(provider.Chunk, error) bool
	giveUp *time.Timer // runs when the reply is finished
}

// listen reads until the reply is done, or until yield wants no more. A stream that ends without a reason why is cut
// off.
func (l *listener) listen() error {
	for !l.reply.done {
		data, err := l.next()
		if err != nil {
			if l.reply.finished != "" || errors.Is(err, io.EOF) { // what is missing may only be the count of tokens
				break
			}
			return err
		}
		if err := l.take(data); err != nil {
			return err
		}
		if l.reply.finished != "" && l.giveUp == nil {
			l.giveUp = time.AfterFunc(lastWords, l.stream.Cancel)
		}
	}
	return l.end()
}

// next returns the next data of a stream of server-sent events, valid until the following call, or io.EOF after the
// last. Each line of data is taken for an event of its own: every server writes its JSON on one line, and some forget
// the blank line between events. A line of plain JSON is an error, or the whole reply of a server that does not stream.
func (l *listener) next() ([]byte, error) {
	for {
		line, err := l.stream.Line()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if bytes.HasPrefix(line, []byte("{")) {
			return line, nil
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			return bytes.TrimSpace(data), nil
		}
	}
}

func (l *listener) take(data []byte) error {
	before := l.reply.calls.size
	chunk, failure, err := l.reply.take(data)
	switch {
	case err != nil && l.reply.finished == "":
		return l.client.Nonsense(data, err)
	case failure != nil:
		return l.client.told(failure, askedIn(l.req))
	}
	// Pieces of a call are not shown, but they are a sign of life.
	alive := l.reply.calls.size > before
	if (chunk.Text != "" || chunk.Thinking != "" || alive) && !l.yield(chunk, nil) {
		return errLeft
	}
	return nil
}

// end tells the calls and the last chunk.
func (l *listener) end() error {
	r := &l.reply
	if r.finished == "" && !(r.said && r.done) {
		return &provider.Error{Kind: provider.KindBroken, Text: "the model's answer ended before it was done",
			Hint: "try again; some servers end like this when the conversation is longer than their context"} // vaadin/flow-components#9195
	}
	if r.thought != "" {
		l.client.note(l.req.Model, func(h *habits) { h.thought = r.thought })
	}
	switch r.finished {
	case "content_filter":
		return &provider.Error{Text: fmt.Sprintf("the content filter of the server at %q withheld the answer, or the rest of it", l.client.Address()),
			Hint: "ask in other words"}
	case "error":
		return l.client.gaveUp()
	}
	if calls := r.calls.finished(); len(calls) > 0 && !l.yield(provider.Chunk{Calls: calls}, nil) {
		return errLeft
	}
	l.yield(r.last(), nil)
	return nil
}
