package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	// lastWords is how long a server may take to tell its count of tokens and to end the stream when the reply is finished.
	lastWords = 3 * time.Second
	// lastBytes is how long it may take to close the response after its last word.
	lastBytes = 100 * time.Millisecond
	// askEvery is how often a server that loads its model is asked whether it is ready. The caller bounds how long.
	askEvery = time.Second
)

// Chat implements provider.Model. A phase is told only when the server says that it loads its model.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		if err := c.chat(ctx, req, yield); err != nil {
			yield(provider.Chunk{}, err)
		}
	}
}

// finish reads the end of a response whose last event has come, so that the next request can use the same connection. A server that does not
// end it soon loses the connection.
func finish(body io.Reader, cancel context.CancelFunc) {
	giveUp := time.AfterFunc(lastBytes, cancel)
	defer giveUp.Stop()
	_, _ = io.CopyN(io.Discard, body, 64<<10) // a connection that cannot be used again is no failure
}

// errLeft says that nobody listens any more.
var errLeft = errors.New("nobody listens")

func (c *Client) chat(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.open(within, req, yield)
	if err == nil {
		defer resp.Body.Close()
		l := listener{client: c, req: req, events: newEvents(resp.Body), yield: yield, cancel: cancel, whole: mediaType(resp.Header) == "application/json"}
		err = l.listen()
		l.hush()
		if err == nil {
			finish(resp.Body, cancel)
		}
	}
	switch {
	case errors.Is(err, errLeft):
		return nil
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// open makes the request, in a form that the server takes, when it is ready.
func (c *Client) open(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) (*http.Response, error) {
	var loaded time.Duration
	for {
		known := c.known(req.Model)
		form := newRequest(req, known)
		body, err := json.Marshal(form)
		if err != nil {
			return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
		}
		resp, err := c.patiently(ctx, http.MethodPost, c.base.JoinPath("chat/completions"), body, func() bool {
			return yield(provider.Chunk{Phase: provider.PhaseBusy}, nil)
		})
		if err == nil {
			if loaded > 0 && !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				resp.Body.Close()
				return nil, errLeft
			}
			return resp, nil
		}
		var no *refusal
		if !errors.As(err, &no) {
			return nil, err
		}
		if !no.loading() {
			if err := c.adapt(req, form, known, no); err != nil {
				return nil, err
			}
			continue
		}
		if loaded == 0 && !yield(provider.Chunk{Phase: provider.PhaseLoading}, nil) {
			return nil, errLeft
		}
		loaded += askEvery
		if err := sleep(ctx, askEvery); err != nil {
			return nil, err
		}
	}
}

// adapt learns from a refusal. It returns nil when the request is worth another try, else what the refusal means.
func (c *Client) adapt(req provider.Request, form request, known habits, no *refusal) error {
	if c.learn(req.Model, form, known, no) {
		return nil
	}
	e := c.explain(no, asked{req.Model, len(req.Tools) > 0, req.Think})
	if e.Kind != provider.KindNoThinking || req.Purpose == provider.ForAnswer || known.noSwitch {
		return e
	}
	c.note(req.Model, func(h *habits) { h.noSwitch = true }) // nobody has to know: it was our wish and no person's
	return nil
}

// listener passes one reply on.
type listener struct {
	client *Client
	req    provider.Request
	events *events
	reply  reply
	yield  func(provider.Chunk, error) bool
	cancel context.CancelFunc
	giveUp *time.Timer // runs when the reply is finished
	whole  bool        // the server does not stream
}

// hush stops the timer of a reply that has ended.
func (l *listener) hush() {
	if l.giveUp != nil {
		l.giveUp.Stop()
	}
}

// listen reads until the reply is done, or until yield wants no more. A stream that ends without a reason why is cut off.
func (l *listener) listen() error {
	for !l.reply.done {
		e, err := l.next()
		if err != nil {
			if l.reply.finished != "" { // what is missing is the count of tokens, and the good manners
				break
			}
			return l.cut(err)
		}
		if err := l.take(e); err != nil {
			return err
		}
		if l.reply.finished != "" && l.giveUp == nil {
			l.giveUp = time.AfterFunc(lastWords, l.cancel)
		}
	}
	return l.end()
}

// next is the next event. An answer that is no stream is one event; what is only called so is read as the stream that it is.
func (l *listener) next() (event, error) {
	if l.whole {
		first, _ := l.events.lines.Peek(1) // an error is met again by who reads
		l.whole = string(first) == "{"
	}
	if !l.whole {
		return l.events.next()
	}
	data, err := io.ReadAll(io.LimitReader(l.events.lines, maxEvent+1))
	switch {
	case err != nil:
	case len(data) == 0:
		err = io.EOF
	case len(data) > maxEvent:
		err = errLongEvent
	}
	return event{data: data}, err
}

func (l *listener) take(e event) error {
	hadCalls := len(l.reply.calls.all) + l.reply.calls.size
	chunk, failure, err := l.reply.take(e.data)
	switch {
	case err != nil && l.reply.finished == "":
		return l.unreadable(e, err)
	case e.name == "error" && failure == nil:
		failure = e.data
	}
	if failure != nil {
		return l.client.told(failure, asked{l.req.Model, len(l.req.Tools) > 0, l.req.Think})
	}
	// Pieces of a call are no news for a person, but they are a sign of life.
	alive := len(l.reply.calls.all)+l.reply.calls.size > hadCalls
	if (chunk.Text != "" || chunk.Thinking != "" || alive) && !l.yield(chunk, nil) {
		return errLeft
	}
	return nil
}

// unreadable is for an event that is no JSON. One that begins like JSON was cut off with the connection.
func (l *listener) unreadable(e event, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return l.client.broken(err)
	}
	return l.client.nonsense(e.data, err)
}

// cut is for a stream that ended too early.
func (l *listener) cut(err error) error {
	switch {
	case errors.Is(err, errLongEvent):
		return &provider.Error{Kind: provider.KindTooLarge, Err: err, Hint: hintAgain,
			Text: fmt.Sprintf("the server at %q sent an event of more than %d MB", l.client.Address(), maxEvent>>20)}
	case errors.Is(err, io.EOF):
		return l.client.broken(nil)
	}
	return l.client.broken(err)
}

// end tells the calls and the last chunk.
func (l *listener) end() error {
	r := &l.reply
	if r.finished == "" && !r.said {
		return l.client.broken(nil)
	}
	if r.thought != "" {
		l.client.note(l.req.Model, func(h *habits) { h.thought = r.thought })
	}
	switch r.finished {
	case "content_filter":
		return &provider.Error{Text: fmt.Sprintf("the server at %q withheld the answer, or the rest of it: its filter for content took offence", l.client.Address()),
			Hint: "ask in other words"}
	case "error":
		return &provider.Error{Text: fmt.Sprintf("the server at %q gave the answer up and does not say why", l.client.Address()), Hint: hintAgain}
	}
	if calls := r.calls.finished(); len(calls) > 0 && !l.yield(provider.Chunk{Calls: calls}, nil) {
		return errLeft
	}
	l.yield(r.last(), nil)
	return nil
}
