package elicit

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// maxOpen is how many requests of one server may be open. Except for one elicitation, these are requests whose replies
// are being sent. Others are dropped.
const maxOpen = 64

// Requests are the open requests of a server on one connection. Safe for concurrent use.
type Requests struct {
	*Handler

	pace pace
	done chan struct{} // closed by Close

	handlers sync.WaitGroup // of open requests

	mu     sync.Mutex
	closed bool
	open   map[*openRequest]struct{}
	calls  int                           // our running calls
	pages  map[string]context.CancelFunc // called when the server reports a page as completed, by elicitation ID
}

type openRequest struct {
	jsonrpc.Message
	ofCall bool // it arrived during a call, and probably belongs to it
	cancel context.CancelFunc
}

// NewRequests returns the requests of a new connection.
func NewRequests(h *Handler) *Requests {
	return &Requests{
		Handler: h, done: make(chan struct{}), open: map[*openRequest]struct{}{}, pages: map[string]context.CancelFunc{},
	}
}

// Admit must be called for each request and notification of the server before it is handled. It slows a server down
// that sends too many, and returns at once when ctx ends or after Close.
func (q *Requests) Admit(ctx context.Context, m jsonrpc.Message) { q.pace.wait(ctx, m, q.done) }

// Serve handles a request and calls reply with the response on another goroutine, unless the server cancels the request
// or the connection is closed first, which also ends reply's context. Errors of reply are ignored, because the server
// notices them. An elicitation is declined at once while another is open.
func (q *Requests) Serve(r jsonrpc.Message, reply func(context.Context, jsonrpc.Message) error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case r.Method != mcp.MethodElicitationCreate:
		m := q.respond(context.Background(), r)
		q.startLocked(&openRequest{}, func(ctx context.Context) { _ = reply(ctx, m) })
	case !q.begin():
		m := jsonrpc.Message{ID: r.ID, Result: declined}
		q.startLocked(&openRequest{}, func(ctx context.Context) { _ = reply(ctx, m) })
	default:
		started := q.startLocked(&openRequest{Message: r, ofCall: q.calls > 0}, func(ctx context.Context) {
			m := q.respond(ctx, r)
			q.end() // before the reply, after which the server may ask again
			if ctx.Err() == nil {
				_ = reply(ctx, m)
			}
		})
		if !started {
			q.end()
		}
	}
}

// respond returns the response to a request.
func (q *Requests) respond(ctx context.Context, r jsonrpc.Message) jsonrpc.Message {
	m := jsonrpc.Message{ID: r.ID}
	var result any
	if result, m.Error = q.handle(ctx, r.Method, r.Params); m.Error == nil {
		var err error
		if m.Result, err = json.Marshal(result); err != nil {
			m.Error = refusal(mcp.INTERNAL_ERROR, "cannot encode the response as JSON")
		}
	}
	return m
}

// startLocked handles a request on its own goroutine, because the reader of the connection must not block. It reports
// false if too many are open already. q.mu is held.
func (q *Requests) startLocked(one *openRequest, handle func(context.Context)) bool {
	if q.closed || len(q.open) >= maxOpen {
		return false
	}
	var ctx context.Context
	ctx, one.cancel = context.WithCancel(context.Background())
	q.open[one] = struct{}{}
	q.handlers.Go(func() {
		defer func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			one.cancel()
			delete(q.open, one)
		}()
		handle(ctx)
	})
	return true
}

// Cancelled cancels the request that the server cancelled.
func (q *Requests) Cancelled(id json.RawMessage) {
	q.cancel(func(one *openRequest) bool { return one.HasID(id) })
}

func (q *Requests) cancel(matches func(*openRequest) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for one := range q.open {
		if matches(one) {
			one.cancel()
		}
	}
}

// BeginCall must be called when a call begins, and end when it ends. If ctx has ended by then, the requests that
// arrived during calls are cancelled. The protocol does not say to which call a request belongs, so this waits for
// the last one.
func (q *Requests) BeginCall(ctx context.Context) (end func()) {
	q.mu.Lock()
	q.calls++
	q.mu.Unlock()
	return func() {
		q.mu.Lock()
		q.calls--
		last := q.calls == 0
		q.mu.Unlock()
		if last && ctx.Err() != nil {
			q.cancel(func(one *openRequest) bool { return one.ofCall })
		}
	}
}

// Close cancels all requests, refuses new ones, and waits for the end of their handlers.
func (q *Requests) Close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.done)
	}
	q.mu.Unlock()
	q.cancel(func(*openRequest) bool { return true })
	q.handlers.Wait()
}

// awaitPage returns a context that ends when the server reports the page as completed.
func (q *Requests) awaitPage(ctx context.Context, id string) (context.Context, context.CancelFunc) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, complete := context.WithCancel(ctx)
	q.pages[id] = complete
	return waiting, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		complete()
		delete(q.pages, id)
	}
}

// PageComplete must be called when the server reports a page as completed.
func (q *Requests) PageComplete(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if complete, ok := q.pages[id]; ok {
		complete()
	}
}
