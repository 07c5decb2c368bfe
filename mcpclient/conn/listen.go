package conn

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

const (
	// listenPause is the first pause before a notification stream is opened again. It doubles up to maxListenPause while
	// the streams are short.
	listenPause    = time.Second
	maxListenPause = 5 * time.Minute

	// longStream is how long a stream must last for the pause to become listenPause again.
	longStream = 10 * time.Second

	// listenTimeout is how long the first call waits for the stream to open. Some servers send no headers before the
	// first event.
	listenTimeout = time.Second

	// refetchPause is the minimum time between two fetches of the lists because a stream was opened again.
	refetchPause = time.Minute
)

var (
	errNoStream     = errors.New("the server has no notification stream")
	errStreamClosed = errors.New("the server refused the notification stream")
)

// listen keeps the notification stream of a server open until life ends. It returns early if the server has none, with
// an error if the server requires a login.
func (c *Conn) listen(life context.Context) error {
	open := c.subscriptions
	switch {
	case c.isModern():
	case c.opensStream():
		open = c.openStream
	default:
		return nil
	}
	pause := listenPause
	for life.Err() == nil {
		began := time.Now()
		err := open(life)
		switch {
		case errors.Is(err, errNoStream):
			return nil
		case errors.Is(err, mcpclient.ErrLoginNeeded):
			return err
		case time.Since(began) > longStream: // proxies end healthy streams too
			pause = listenPause
		}
		select {
		case <-life.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxListenPause)
	}
	return nil
}

// subscriptions opens the stream of modern revisions: a request whose response ends the stream.
func (c *Conn) subscriptions(life context.Context) error {
	wanted := mcp.SubscriptionFilter{
		ToolsListChanged: c.can.Tools.changes, PromptsListChanged: c.can.Prompts.changes,
		ResourcesListChanged: c.can.Resources.changes,
	}
	if wanted.IsEmpty() {
		return errNoStream
	}
	_, err := c.exchange(life, mcp.MethodSubscriptionsListen, mcp.SubscriptionsListenParams{Notifications: wanted}, nil)
	if hasCode(err, mcp.METHOD_NOT_FOUND) {
		return errNoStream
	}
	return err
}

// openStream opens the stream of streamable HTTP before 2026-07-28, with a GET.
func (c *Conn) openStream(life context.Context) error {
	ctx, stop := context.WithCancel(life)
	defer stop()
	response, err := c.do(ctx, http.MethodGet, c.server.URL, nil, http.Header{})
	c.setListened()
	if err != nil {
		return explain(err)
	}
	defer func() { _ = response.Body.Close() }()
	switch status := response.StatusCode; {
	case status >= 500 || status == http.StatusTooManyRequests:
		return errStreamClosed
	case status != http.StatusOK || !isStream(response):
		return errNoStream
	}
	c.streamOpened()
	return eachEvent(sse.NewReader(response.Body, maxResponse), func(e sse.Event) bool {
		if m, ok := jsonrpc.Parse(e.Data); ok && m.Method != "" {
			c.handleMessage(ctx, m)
		}
		return true
	})
}

// opensStream reports whether the server may have a stream that a GET opens.
func (c *Conn) opensStream() bool {
	return c.wire == nil && !c.isModern()
}

func (c *Conn) setListened() { c.listenOne.Do(func() { close(c.listened) }) }

// awaitStream waits until the notification stream is open. Requests that a tool sends before are lost, and its call
// would hang.
func (c *Conn) awaitStream(ctx context.Context) {
	if !c.opensStream() {
		return
	}
	select {
	case <-c.listened:
	case <-ctx.Done():
	case <-time.After(listenTimeout):
		c.setListened()
	}
}

// streamOpened must be called when a notification stream is open. It has the lists fetched again, unless they were
// fetched recently, because notifications between two streams are lost.
func (c *Conn) streamOpened() {
	e := &c.events
	e.mu.Lock()
	fetch := e.streamed && time.Since(e.fetched) >= refetchPause
	if fetch {
		e.fetched = time.Now()
	}
	e.streamed = true
	e.mu.Unlock()
	if fetch {
		e.note(func(n *News) { n.Tools, n.Prompts, n.Resources = true, true, true })
	}
}
