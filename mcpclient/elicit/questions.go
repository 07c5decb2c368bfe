package elicit

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Limits on the open questions of one server, which may ask without end.
const (
	MaxOpen  = 8
	maxQuick = 64 // answers that need no thought and are on their way at once
)

// Questions are what a server asks over one connection, until they are answered. Safe for concurrent use.
type Questions struct {
	*Answerer

	mu     sync.Mutex
	closed bool
	open   map[*openQuestion]struct{}
	slow   int                           // of the open ones: those that wait for the host
	quick  int                           // the rest: they are answered, and the answer is on its way
	calls  int                           // calls of ours that are running
	pages  map[string]context.CancelFunc // to be called when the server says that the visit of that id is complete
}

// openQuestion is one request that waits for its answer.
type openQuestion struct {
	id     string
	ofCall bool // it came while we waited for the server, on behalf of a call most likely
	cancel context.CancelFunc
}

// New returns the questions of a new connection.
func New(a *Answerer) *Questions {
	return &Questions{Answerer: a, open: map[*openQuestion]struct{}{}, pages: map[string]context.CancelFunc{}}
}

// Ask answers a request through reply, later, unless the server takes it back or the connection is closed before; reply's context ends then,
// too. Pings are answered at once, as are requests when too many are open.
func (q *Questions) Ask(r transport.JSONRPCRequest, reply func(context.Context, *transport.JSONRPCResponse)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Method == string(mcp.MethodPing) {
		q.beginLocked(&q.quick, maxQuick, &openQuestion{}, func(ctx context.Context) { reply(ctx, response(r.ID, struct{}{}, nil)) })
		return
	}
	isOpen := q.beginLocked(&q.slow, MaxOpen, &openQuestion{id: questionID(r.ID), ofCall: q.calls > 0}, func(ctx context.Context) {
		params, _ := json.Marshal(r.Params)
		result, refused := q.Answer(ctx, r.Method, params)
		if ctx.Err() == nil { // it was not taken back
			reply(ctx, response(r.ID, result, refused))
		}
	})
	if !isOpen {
		refused := refusal(CodeTooMany, "%d questions are open already: wait for the answers", MaxOpen)
		q.beginLocked(&q.quick, maxQuick, &openQuestion{}, func(ctx context.Context) { reply(ctx, response(r.ID, nil, refused)) })
	}
}

// beginLocked starts a goroutine that answers a question, because the reader of the connection must not wait. It reports false when there are
// most of its kind already. q.mu is held.
func (q *Questions) beginLocked(kind *int, most int, one *openQuestion, answer func(context.Context)) bool {
	if q.closed || *kind >= most {
		return false
	}
	var ctx context.Context
	ctx, one.cancel = context.WithCancel(context.Background())
	q.open[one] = struct{}{}
	*kind++
	go func() {
		defer func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			one.cancel()
			delete(q.open, one)
			*kind--
		}()
		answer(ctx)
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
		r.Error = refusal(mcp.INTERNAL_ERROR, "the answer cannot be written as JSON")
	}
	return r
}

// questionID makes ids comparable, however they were decoded.
func questionID(id any) string {
	text, _ := json.Marshal(id)
	return strings.Trim(string(text), `"`)
}

// TakenBack ends the question that the server does not want answered any more.
func (q *Questions) TakenBack(id any) {
	q.cancel(func(one *openQuestion) bool { return one.id == questionID(id) })
}

func (q *Questions) cancel(which func(*openQuestion) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for one := range q.open {
		if which(one) {
			one.cancel()
		}
	}
}

// Calling notes that a call begins. When its caller gives it up, the questions that it caused are taken back. The protocol does not say which
// call a question belongs to, so this happens when no other call is running.
func (q *Questions) Calling(ctx context.Context) (ended func()) {
	q.mu.Lock()
	q.calls++
	q.mu.Unlock()
	return func() {
		q.mu.Lock()
		q.calls--
		last := q.calls == 0
		q.mu.Unlock()
		if last && ctx.Err() != nil {
			q.cancel(func(one *openQuestion) bool { return one.ofCall })
		}
	}
}

// Close takes all questions back, and refuses new ones.
func (q *Questions) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel(func(*openQuestion) bool { return true })
}

// awaitPage returns a context that ends when the server says that the visit of the page is complete.
func (q *Questions) awaitPage(ctx context.Context, id string) (context.Context, context.CancelFunc) {
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

// PageComplete is called when the server says that a visit is complete.
func (q *Questions) PageComplete(id any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	page, _ := id.(string)
	if complete, ok := q.pages[page]; ok {
		complete()
	}
}
