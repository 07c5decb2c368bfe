package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrGone is matched by the errors of requests to a server that has ended.
var ErrGone = errors.New("the server has exited")

// Wire exchanges messages with a server that responds in any order. All methods are safe for concurrent use.
type Wire struct {
	write  func(context.Context, []byte) error
	handle func(Message)

	gone  chan struct{} // closed when the server has ended and its output was read
	cause error         // why; set before gone is closed

	mu      sync.Mutex
	waiting map[string]chan<- reply // of open requests, by id
}

// reply is the response to a request, or why it is invalid.
type reply struct {
	response Message
	err      error
}

// NewWire returns a wire. write sends a message to the server, and handle handles the requests and notifications of the
// server. It is called by the goroutine that calls Receive. While it blocks, nothing else of the server is read.
func NewWire(write func(ctx context.Context, message []byte) error, handle func(Message)) *Wire {
	return &Wire{write: write, handle: handle, gone: make(chan struct{}), waiting: map[string]chan<- reply{}}
}

// Call sends a request and waits for the response, the end of the server, or the end of ctx.
func (w *Wire) Call(ctx context.Context, request Message) (Message, error) {
	id, done := key(request.ID), make(chan reply, 1)
	w.mu.Lock()
	w.waiting[id] = done
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.waiting, id)
		w.mu.Unlock()
	}()
	if err := w.Send(ctx, request); err != nil {
		return Message{}, err
	}
	select {
	case r := <-done:
		return r.response, r.err
	case <-ctx.Done():
		return Message{}, ctx.Err()
	case <-w.gone:
		select {
		case r := <-done:
			return r.response, r.err
		default:
			return Message{}, w.Err()
		}
	}
}

// Send sends a notification or a response.
func (w *Wire) Send(ctx context.Context, m Message) error {
	message, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("cannot encode the message as JSON: %w", err)
	}
	if err = w.write(ctx, message); errors.Is(err, io.ErrClosedPipe) {
		return w.Err()
	}
	return err
}

// Receive handles a message of the server, and reports whether it is valid.
func (w *Wire) Receive(text []byte) bool {
	m, ok := Parse(text)
	switch {
	case !ok || m.Method == "" && m.ID == nil:
		return false
	case m.Method == "":
		w.mu.Lock()
		defer w.mu.Unlock()
		w.respondLocked(key(m.ID), reply{response: m})
	default:
		w.handle(m)
	}
	return true
}

// Fail ends the open request with the id with an error. If id is nil it ends the only open request. It reports whether
// there is such a request.
func (w *Wire) Fail(id json.RawMessage, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	open := key(id)
	if id == nil && len(w.waiting) == 1 {
		for only := range w.waiting {
			open = only
		}
	}
	return w.respondLocked(open, reply{err: err})
}

// respondLocked passes a reply to the open request with the id, and reports whether there is one. w.mu is held.
func (w *Wire) respondLocked(id string, r reply) bool {
	waiting, ok := w.waiting[id]
	if ok {
		waiting <- r
		delete(w.waiting, id)
	}
	return ok
}

// End ends all requests, after the last Receive. It must be called once.
func (w *Wire) End(cause error) {
	w.cause = cause
	close(w.gone)
}

// Gone returns a channel that is closed when the server has ended and its output was read.
func (w *Wire) Gone() <-chan struct{} { return w.gone }

// Err returns how the server ended, or that it is ending. It matches ErrGone.
func (w *Wire) Err() error {
	select {
	case <-w.gone:
		return gone{w.cause}
	default:
		return gone{errEnding}
	}
}

var errEnding = errors.New("is ending")

// gone is why a server has ended. It matches ErrGone too.
type gone struct{ error }

func (e gone) Unwrap() error        { return e.error }
func (e gone) Is(target error) bool { return target == ErrGone }
