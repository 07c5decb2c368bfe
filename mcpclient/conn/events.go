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

// newsPause bounds the work a server can cause by telling things without end.
const newsPause = 200 * time.Millisecond

// News says which lists of a server have changed since the last time.
type News struct{ Tools, Prompts, Resources bool }

// Progress is one notification of a running call.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

// events is what a server has sent by itself and the caller of Run has not heard yet. It stays small however much that is, and adding never blocks.
type events struct {
	wake chan struct{} // has one element when there are news

	mu       sync.Mutex
	news     News
	streamed bool                     // there was a stream of announcements once
	fetched  time.Time                // when the lists were last fetched because of that
	progress map[string]chan Progress // the newest of each running call, by token
	tokens   int                      // how many were given out
}

func newEvents() events {
	return events{wake: make(chan struct{}, 1), progress: map[string]chan Progress{}}
}

// note changes the news and says that there are some.
func (e *events) note(change func(*News)) {
	e.mu.Lock()
	change(&e.news)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default: // it is known already
	}
}

// take returns the news and forgets them.
func (e *events) take() News {
	e.mu.Lock()
	defer e.mu.Unlock()
	news := e.news
	e.news = News{}
	return news
}

// Run hears what the server sends by itself until life ends or the server is gone; the error says why it is gone. hear is called first with the
// lists of prompts and resources, which nothing has fetched yet, then with the news, some time apart.
func (c *Conn) Run(life context.Context, hear func(News)) error {
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
	if c.process == nil { // the requests to a process end with it
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
			hear(c.events.take())
		}
	}
}

// asked takes what the server asks, and waits for nothing.
func (c *Conn) asked(r transport.JSONRPCRequest) {
	c.server.Log.message(received, r)
	c.requests.Serve(r, func(ctx context.Context, response *transport.JSONRPCResponse) {
		c.server.Log.message(sent, response)
		c.reply(ctx, response)
	})
}

// notified takes a notification of the server. It runs on the goroutine that reads answers, and waits for nothing.
func (c *Conn) notified(n mcp.JSONRPCNotification) {
	c.server.Log.message(received, n)
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
		c.events.tell(fmt.Sprint(fields["progressToken"]), Progress{number(fields["progress"]), number(fields["total"]), message})
	case string(mcp.MethodNotificationCancelled):
		c.requests.Cancelled(fields["requestId"])
	case string(mcp.MethodNotificationElicitationComplete):
		c.requests.PageComplete(fields["elicitationId"])
	}
}

// tell puts progress into the box of the call with the token, if there is one, in the place of what nothing has looked at yet.
func (e *events) tell(token string, p Progress) {
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

// follow opens a box for the progress of the call with the token; forget removes it.
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

// number reads a number however it was decoded; built-in servers hand over Go's own. What is none is 0.
func number(v any) float64 {
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
