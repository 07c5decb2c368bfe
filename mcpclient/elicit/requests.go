package elicit

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
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
	id     string
	ofCall bool // it arrived during a call, and probably belongs to it
	cancel context.CancelFunc
}

// NewRequests returns the requests of a new connection.
func NewRequests(h *Handler) *Requests {
	return &Requests{Handler: h, open: map[*openRequest]struct{}{}, pages: map[string]context.CancelFunc{}}
}

// Serve handles a request on its own goroutine and calls reply, unless the server cancels the request or the connection
// is closed first, which also ends reply's context. Pings and refusals of too many requests are answered at once.
func (q *Requests) Serve(
	r transport.JSONRPCRequest, reply func(context.Context, *transport.JSONRPCResponse),
) {
	q.mu.Lock()
	defer q.mu.Unlock()
	atOnce := func(result any, refused *mcp.JSONRPCErrorDetails) {
		q.startLocked(&q.replies, maxReplies, &openRequest{}, func(ctx context.Context) {
			reply(ctx, response(r.ID, result, refused))
		})
	}
	if r.Method == string(mcp.MethodPing) {
		atOnce(struct{}{}, nil)
		return
	}
	one := &openRequest{id: requestID(r.ID), ofCall: q.calls > 0}
	started := q.startLocked(&q.asking, MaxOpen, one, func(ctx context.Context) {
		params, _ := json.Marshal(r.Params)
		result, refused := q.Handle(ctx, r.Method, params)
		if ctx.Err() == nil {
			reply(ctx, response(r.ID, result, refused))
		}
	})
	if !started {
		atOnce(nil, refusal(CodeTooMany, "%d requests are open already: wait for the responses", MaxOpen))
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

func response(id mcp.RequestId, result any, refused *mcp.JSONRPCErrorDetails) *transport.JSONRPCResponse {
	r := &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: refused}
	if refused != nil {
		return r
	}
	var err error
	if r.Result, err = json.Marshal(result); err != nil {
		r.Error = refusal(mcp.INTERNAL_ERROR, "cannot encode the response as JSON")
	}
	return r
}

// requestID makes ids comparable, however they were decoded.
func requestID(id any) string {
	text, _ := json.Marshal(id)
	return strings.Trim(string(text), `"`)
}

// Cancelled cancels the request that the server cancelled.
func (q *Requests) Cancelled(id any) {
	q.cancel(func(one *openRequest) bool { return one.id == requestID(id) })
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
func (q *Requests) PageComplete(id any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	page, _ := id.(string)
	if complete, ok := q.pages[page]; ok {
		complete()
	}
}
