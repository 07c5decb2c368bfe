package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/web"
	"github.com/mark3labs/mcp-go/mcp"
)

// raw makes a request, and returns what the server really answered. It ends when the link is stopped, too.
func (l *Link) raw(ctx context.Context, request func(context.Context) error) (json.RawMessage, error) {
	ctx, stop := l.untilStopped(ctx)
	defer stop()
	return promptly(ctx, func() (json.RawMessage, error) {
		ctx, answer := withAnswer(ctx)
		return answer.outcome(request(ctx))
	})
}

// untilStopped returns a context that ends when the link is stopped, too.
func (l *Link) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-l.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// promptly returns as soon as ctx ends, whatever the server and its transport do. What is left of the work ends on its own goroutine.
func promptly[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a built-in server runs in here
				o.err = fmt.Errorf("it crashed: %v", p)
			}
			done <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// answer is what a server really answered to a request.
type answer struct {
	result json.RawMessage
	err    *mcp.JSONRPCErrorDetails
	broken atomic.Pointer[error] // how an answer over HTTP ended; set by who reads it
	out    atomic.Bool           // a request for it has gone out over HTTP
	fate   atomic.Pointer[error] // of one that was given up, where the server was not told: ErrUnasked or ErrUnconfirmed
}

// errNothing is an answer that is none. Over HTTP the status usually says why.
var errNothing = errors.New("its answer has neither a result nor an error in it")

type answerKey struct{}

// withAnswer returns a context for one request of the client, and where its answer is found afterwards.
func withAnswer(ctx context.Context) (context.Context, *answer) {
	a := &answer{}
	ctx = web.OnBreak(ctx, func(err error) { a.broken.Store(&err) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { a.out.Store(true) }})
	return context.WithValue(ctx, answerKey{}, a), a
}

// outcome is what came of a request: what the server really answered, or why there is nothing.
func (a *answer) outcome(err error) (json.RawMessage, error) {
	switch {
	case errors.Is(err, ErrSessionLost):
		return nil, ErrSessionLost
	case a.err != nil:
		return nil, fault.Answered(a.err)
	case err != nil:
		if broken := a.broken.Load(); broken != nil {
			err = *broken
		}
		return nil, fault.Of(err)
	}
	return a.result, nil
}
