package elicit

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// Limits of the open requests of one server.
const (
	MaxOpen    = 8  // that wait for the host
	maxReplies = 64 // to pings and refused requests, while they are sent
)

// Requests are the open requests of a server on one connection. Safe for concurrent use.
type Requests struct {
	*Handler

	mu      sync.Mutex
	closed  bool
	open    map[*openRequest]struct{}
	asking  int                           // open requests that wait for the host
	replies int                           // other open requests, whose replies are being sent
	calls   int                           // our running calls
	pages   map[string]context.CancelFunc // called when the server reports a page as completed, by elicitation ID
}

type openRequest struct {
	stdio.Message
	ofCall bool // it arrived during a call, and probably belongs to it
	cancel context.CancelFunc
}

// NewRequests returns the requests of a new connection.
func NewRequests(h *Handler) *Requests {
	return &Requests{Handler: h, open: map[*openRequest]struct{}{}, pages: map[string]context.CancelFunc{}}
}

// Serve handles a request on its own goroutine and calls reply with the response, unless the server cancels the request
// or the connection is closed first, which also ends reply's context. Pings and refusals of too many requests are
// answered at once. Errors of reply are ignored, because the server notices them.
func (q *Requests) Serve(r stdio.Message, reply func(context.Context, stdio.Message) error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	atOnce := func(m stdio.Message) {
		q.startLocked(&q.replies, maxReplies, &openRequest{}, func(ctx context.Context) { _ = reply(ctx, m) })
	}
	if r.Method == "ping" {
		atOnce(stdio.Message{ID: r.ID, Result: json.RawMessage("{}")})
		return
	}
	one := &openRequest{Message: r, ofCall: q.calls > 0}
	started := q.startLocked(&q.asking, MaxOpen, one, func(ctx context.Context) {
		m := stdio.Message{ID: r.ID}
		var result any
		if result, m.Error = q.Handle(ctx, r.Method, r.Params); m.Error == nil {
			var err error
			if m.Result, err = json.Marshal(result); err != nil {
				m.Error = refusal(jsonrpc.CodeInternalError, "cannot encode the response as JSON")
			}
		}
		if ctx.Err() == nil {
			_ = reply(ctx, m)
		}
	})
	if !started {
		atOnce(stdio.Message{ID: r.ID, Error: refusal(CodeTooMany,
			"%d requests are open already: wait for the responses", MaxOpen)})
	}
}

// startLocked handles a request on its own goroutine, because the reader of the connection must not block. It reports
// false if limit requests of its kind, counted by count, are open already. q.mu is held.
func (q *Requests) startLocked(count *int, limit int, one *openRequest, handle func(context.Context)) bool {
	if q.closed || *count >= limit {
		return false
	}
	var ctx context.Context
	ctx, one.cancel = context.WithCancel(context.Background())
	q.open[one] = struct{}{}
	*count++
	go func() {
		defer func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			one.cancel()
			delete(q.open, one)
			*count--
		}()
		handle(ctx)
	}()
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

// Close cancels all requests and refuses new ones.
func (q *Requests) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel(func(*openRequest) bool { return true })
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
