package conn

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// newsPause limits the work that endless notifications can cause.
const newsPause = 200 * time.Millisecond

// News are the lists of a server that have changed.
type News struct{ Tools, Prompts, Resources bool }

// Progress is a progress notification of a running call.
type Progress struct {
	Done, Total float64 // Total is 0 if unknown
	Message     string
}

// events are the notifications of a server that have not been processed yet. They have a fixed size, and adding one
// never blocks.
type events struct {
	wake chan struct{} // has one element if there is news

	mu       sync.Mutex
	news     News
	streamed bool                     // a notification stream was opened before
	fetched  time.Time                // when the lists were last fetched because a stream was opened again
	progress map[string]chan Progress // the newest of each running call, by token
	tokens   int                      // number of tokens created
}

func newEvents() events {
	return events{wake: make(chan struct{}, 1), progress: map[string]chan Progress{}}
}

// note changes the news and wakes Run.
func (e *events) note(change func(*News)) {
	e.mu.Lock()
	change(&e.news)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// take returns the news and resets them.
func (e *events) take() News {
	e.mu.Lock()
	defer e.mu.Unlock()
	news := e.news
	e.news = News{}
	return news
}

// Run handles notifications of the server until life ends or the connection is lost, and returns the error. It first
// calls handle for prompts and resources, which are not fetched yet, then at intervals when lists have changed.
func (c *Conn) Run(life context.Context, handle func(News)) error {
	life, end := context.WithCancel(life)
	gone := make(chan error, 1)
	defer func() {
		end()
		for range gone { // until it is closed
		}
	}()
	go func() {
		defer close(gone)
		if err := c.listen(life); err != nil {
			gone <- err
		}
	}()
	if c.lines == nil { // other requests fail when the server ends
		go func() {
			select {
			case <-c.lost:
				c.Stop()
			case <-life.Done():
			}
		}()
	}
	c.events.note(func(n *News) { n.Prompts, n.Resources = true, true })
	wake, listening, rested := c.events.wake, (<-chan error)(gone), (<-chan time.Time)(nil)
	for {
		select {
		case <-life.Done():
			return nil
		case <-c.lost:
			return c.Err()
		case err := <-listening:
			if err != nil {
				return err
			}
			listening = nil
		case <-rested:
			wake = c.events.wake
		case <-wake:
			wake, rested = nil, time.After(newsPause)
			handle(c.events.take())
		}
	}
}

// handleRequest handles a request of the server. It does not block.
func (c *Conn) handleRequest(r transport.JSONRPCRequest) {
	r.JSONRPC = mcp.JSONRPC_VERSION
	c.log.message(received, r)
	c.requests.Serve(r, func(ctx context.Context, response *transport.JSONRPCResponse) {
		c.log.message(sent, response)
		c.reply(ctx, response)
	})
}

// handleNotification handles a notification of the server. It runs on the goroutine that reads responses, and does not
// block.
func (c *Conn) handleNotification(n mcp.JSONRPCNotification) {
	c.log.message(received, n)
	fields := n.Params.AdditionalFields
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.events.note(func(n *News) { n.Tools = true })
	case mcp.MethodNotificationPromptsListChanged:
		c.events.note(func(n *News) { n.Prompts = true })
	case mcp.MethodNotificationResourcesListChanged:
		c.events.note(func(n *News) { n.Resources = true })
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		c.streamOpened()
	case string(mcp.MethodNotificationProgress):
		message, _ := fields["message"].(string)
		progress := Progress{number(fields["progress"]), number(fields["total"]), message}
		c.events.setProgress(fmt.Sprint(fields["progressToken"]), progress)
	case string(mcp.MethodNotificationCancelled):
		c.requests.Cancelled(fields["requestId"])
	case string(mcp.MethodNotificationElicitationComplete):
		c.requests.PageComplete(fields["elicitationId"])
	}
}

// setProgress replaces the unread progress of the call with the token, if that is running.
func (e *events) setProgress(token string, p Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	box, ok := e.progress[token]
	if !ok {
		return
	}
	select {
	case <-box:
	default:
	}
	box <- p
}

// follow returns the progress of a new call. forget must be called when the call ends.
func (e *events) follow() (token string, box <-chan Progress, forget func()) {
	c := make(chan Progress, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tokens++
	token = fmt.Sprintf("call-%d", e.tokens)
	e.progress[token] = c
	return token, c, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.progress, token)
	}
}

// number converts any type of number, because built-in servers pass Go values. It returns 0 for anything else.
func number(v any) float64 {
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
