package conn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

const (
	// newsPause is the first pause after lists were fetched. It doubles up to maxNewsPause while lists keep changing,
	// because some servers announce a change each time their tools are listed.
	newsPause    = 200 * time.Millisecond
	maxNewsPause = time.Minute
)

// News are the lists of a server that have changed.
type News struct{ Tools, Prompts, Resources bool }

// events are the notifications of a server that have not been processed yet. They have a fixed size, and adding one
// never blocks.
type events struct {
	wake    chan struct{} // has one element if there is news
	awaited chan struct{} // has one element if a call waits for the news

	mu       sync.Mutex
	news     News
	changes  int                                // of the tools that were announced, see Conn.ToolChanges
	streamed bool                               // a notification stream was opened before
	fetched  time.Time                          // when the lists were last fetched because a stream was opened again
	progress map[string]chan mcpclient.Progress // the newest of each running call, by token
	tokens   int                                // number of tokens created
}

func newEvents() events {
	return events{
		wake: make(chan struct{}, 1), awaited: make(chan struct{}, 1), progress: map[string]chan mcpclient.Progress{},
	}
}

// note changes the news and wakes Run.
func (e *events) note(change func(*News)) {
	e.mu.Lock()
	known := e.news.Tools
	if change(&e.news); e.news.Tools && !known {
		e.changes++
	}
	e.mu.Unlock()
	signal(e.wake)
}

// signal fills a channel for one element, unless it is full.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// ToolChanges counts the announced changes of the tools. If it is higher than before Tools was called, the tools may
// have changed since.
func (c *Conn) ToolChanges() int {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	return c.events.changes
}

// HurryTools has Run handle an announced change of the tools now, without a pause, or with again also if none is
// announced.
func (c *Conn) HurryTools(again bool) {
	c.events.note(func(n *News) { n.Tools = n.Tools || again })
	signal(c.events.awaited)
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
	c.events.note(func(n *News) { n.Prompts, n.Resources = true, true })
	wake, listening, rested := c.events.wake, (<-chan error)(gone), (<-chan time.Time)(nil)
	pause, last := newsPause, time.Now()
	for {
		select {
		case <-life.Done():
			return nil
		case <-c.lost():
			return c.Err()
		case err := <-listening:
			if err != nil {
				return err
			}
			listening = nil
		case <-rested:
			wake = c.events.wake
		case <-c.events.awaited:
			wake, pause = c.events.wake, newsPause
		case <-wake:
			if time.Since(last) > 2*maxNewsPause { // longer than a pause
				pause = newsPause
			}
			wake, rested, last = nil, time.After(pause), time.Now()
			pause = min(2*pause, maxNewsPause)
			handle(c.events.take())
		}
	}
}

// handleMessage handles a request or a notification of the server. It runs on the goroutine that reads responses, and
// blocks only to slow down a server that sends too many, until ctx ends.
func (c *Conn) handleMessage(ctx context.Context, m jsonrpc.Message) {
	c.requests.Admit(ctx, m)
	c.log.message(received, m)
	if m.ID == nil {
		c.handleNotification(m)
	} else {
		c.requests.Serve(m, c.tell)
	}
}

func (c *Conn) handleNotification(m jsonrpc.Message) {
	var p struct {
		ProgressToken any
		Progress      float64
		Total         float64
		Message       string
		RequestID     json.RawMessage
		ElicitationID string
	}
	_ = json.Unmarshal(m.Params, &p) // ignores fields of the wrong type
	switch m.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.events.note(func(n *News) { n.Tools = true })
	case mcp.MethodNotificationPromptsListChanged:
		c.events.note(func(n *News) { n.Prompts = true })
	case mcp.MethodNotificationResourcesListChanged:
		c.events.note(func(n *News) { n.Resources = true })
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		c.streamOpened()
	case mcp.MethodNotificationProgress:
		news := mcpclient.Progress{Done: p.Progress, Total: p.Total, Message: p.Message}
		c.events.setProgress(fmt.Sprint(p.ProgressToken), news)
	case mcp.MethodNotificationMessage:
		c.log.relay(m.Params)
	case mcp.MethodNotificationCancelled:
		c.requests.Cancelled(p.RequestID)
	case mcp.MethodNotificationElicitationComplete:
		c.requests.PageComplete(p.ElicitationID)
	}
}

// setProgress replaces the unread progress of the call with the token, if that is running.
func (e *events) setProgress(token string, p mcpclient.Progress) {
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
func (e *events) follow() (token string, box <-chan mcpclient.Progress, forget func()) {
	c := make(chan mcpclient.Progress, 1)
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
