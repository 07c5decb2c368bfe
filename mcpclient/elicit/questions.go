package elicit

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// How many questions of one server wait for their answers at once. A server that asks without end must cost nothing.
const (
	MaxOpen  = 8
	maxQuick = 64 // answers that need no thought and are on their way at once
)

// Questions are what a server asks over one connection, as long as it waits for the answers. Safe for concurrent use.
type Questions struct {
	*Answerer

	mu     sync.Mutex
	closed bool
	open   map[*openQuestion]struct{}
	slow   int                      // of the open ones that wait for the host
	quick  int                      // the rest: they are answered, and the answer is on its way
	calls  int                      // of ours that are under way
	pages  map[string]chan struct{} // closed when the server says that the visit of that id is complete
}

// openQuestion is one request that waits for its answer.
type openQuestion struct {
	counted *int // is slow or quick
	id      string
	ofCall  bool // it came while we waited for the server, on behalf of a call most likely
	cancel  context.CancelFunc
}

// New returns the questions of a connection that begins.
func New(a *Answerer) *Questions {
	return &Questions{Answerer: a, open: map[*openQuestion]struct{}{}, pages: map[string]chan struct{}{}}
}

// Ask answers a request through reply, later, unless the server takes it back or the connection is closed before. reply's context ends then,
// too. Here only what needs no thought is answered: a ping, which tells that we are alive however much there is to do, and too many questions.
func (q *Questions) Ask(r transport.JSONRPCRequest, reply func(context.Context, *transport.JSONRPCResponse)) {
	if r.Method == string(mcp.MethodPing) {
		q.atOnce(func(ctx context.Context) { reply(ctx, response(r.ID, struct{}{}, nil)) })
		return
	}
	ctx, done, refused := q.Begun(r.ID)
	if refused != nil {
		q.atOnce(func(ctx context.Context) { reply(ctx, response(r.ID, nil, refused)) })
		return
	}
	go func() {
		defer done()
		params, _ := json.Marshal(r.Params)
		result, refused := q.Answer(ctx, r.Method, params)
		if ctx.Err() == nil { // a question that was taken back has no answer
			reply(ctx, response(r.ID, result, refused))
		}
	}()
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

// Begun notes a question, unless too many are open. Its context ends when it is taken back.
func (q *Questions) Begun(id any) (ctx context.Context, done func(), refused *mcp.JSONRPCErrorDetails) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.slow >= MaxOpen {
		return nil, nil, refusal(CodeTooMany, "%d questions are open already: wait for the answers", MaxOpen)
	}
	ctx, done = q.noteLocked(&openQuestion{counted: &q.slow, id: questionID(id), ofCall: q.calls > 0})
	return ctx, done, nil
}

// atOnce sends an answer. A server that takes none of them gets no more.
func (q *Questions) atOnce(send func(context.Context)) {
	q.mu.Lock()
	if q.closed || q.quick >= maxQuick {
		q.mu.Unlock()
		return
	}
	ctx, done := q.noteLocked(&openQuestion{counted: &q.quick})
	q.mu.Unlock()
	go func() { // the reader of the connection must not wait for its writer
		defer done()
		send(ctx)
	}()
}

// noteLocked keeps a question until done is called, once. q.mu is held.
func (q *Questions) noteLocked(one *openQuestion) (ctx context.Context, done func()) {
	ctx, one.cancel = context.WithCancel(context.Background())
	q.open[one] = struct{}{}
	*one.counted++
	return ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		one.cancel()
		delete(q.open, one)
		*one.counted--
	}
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

// Calling notes that a call begins. When it ends because nobody waits for it any more, what the server asks because of it is
// void, too. Which call a question belongs to nobody says, so that holds once no other call is under way.
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

// Close takes all questions back. There are none afterwards.
func (q *Questions) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel(func(*openQuestion) bool { return true })
}

// awaitPage returns what is closed when the server says that the visit of the page is complete; forget ends the waiting.
func (q *Questions) awaitPage(id string) (complete <-chan struct{}, forget func()) {
	c := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pages[id] = c
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.pages[id] == c {
			delete(q.pages, id)
		}
	}
}

// PageComplete is what the server says of a visit.
func (q *Questions) PageComplete(id any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	page, _ := id.(string)
	if c, ok := q.pages[page]; ok {
		close(c)
		delete(q.pages, page)
	}
}
