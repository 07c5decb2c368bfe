package conn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// Between two streams of announcements there is a pause, so that a server that ends each at once is not asked without end. It doubles as long
	// as they are short.
	listenPause        = time.Second
	longestListenPause = 5 * time.Minute

	// longStream is how long a stream must last for the pauses to begin anew.
	longStream = 10 * time.Second

	// listenPatience is how long the first call waits for the stream to open. Some servers send no headers before there is something to announce.
	listenPatience = time.Second

	// missedPause is how often the lists are fetched at most because a stream of announcements was opened again.
	missedPause = time.Minute
)

var (
	errNoStream     = errors.New("the server has no stream of announcements")
	errStreamClosed = errors.New("the server refuses the stream of announcements")
)

// listen keeps the stream open on which a server says what belongs to no request, until life ends. A server without one is left alone. The error
// is for a server that wants a login.
func (c *Conn) listen(life context.Context) error {
	open := c.subscriptions
	switch {
	case c.isModern():
	case c.hasAnnouncements():
		open = c.announcements
	default:
		return nil // it has the one stream that everything comes on
	}
	pause := listenPause
	for life.Err() == nil {
		began := time.Now()
		err := open(life)
		switch {
		case errors.Is(err, errNoStream):
			return nil
		case errors.Is(err, ErrLoginNeeded):
			return err
		case time.Since(began) > longStream: // however it ended: a proxy cuts healthy ones off
			pause = listenPause
		}
		select {
		case <-life.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestListenPause)
	}
	return nil
}

// subscriptions listens as the modern revisions do, with a request that has its answer when the stream ends.
func (c *Conn) subscriptions(life context.Context) error {
	filter := mcp.SubscriptionFilter{
		ToolsListChanged:     c.can.Tools != nil && c.can.Tools.ListChanged,
		PromptsListChanged:   c.can.Prompts != nil && c.can.Prompts.ListChanged,
		ResourcesListChanged: c.can.Resources != nil && c.can.Resources.ListChanged,
	}
	if filter.IsEmpty() {
		return errNoStream
	}
	_, err := c.converse(life, mcp.MethodSubscriptionsListen, mcp.SubscriptionsListenParams{Notifications: filter}, nil)
	if hasCode(err, mcp.METHOD_NOT_FOUND) {
		return errNoStream
	}
	return err
}

// announcements listens as streamable HTTP did before 2026-07-28, with a GET. A server that refuses it has none.
func (c *Conn) announcements(life context.Context) error {
	ctx, stop := context.WithCancel(life)
	defer stop()
	response, err := c.do(ctx, http.MethodGet, nil)
	c.noteListened()
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
	return readEvents(response.Body, c.announced)
}

// hasAnnouncements reports whether the server announces things on a stream that a GET opens.
func (c *Conn) hasAnnouncements() bool { return c.web != nil && !c.server.SSE && !c.isModern() }

func (c *Conn) noteListened() { c.listenOne.Do(func() { close(c.listened) }) }

// awaitStream waits until the server can ask something on its stream of announcements: what a tool asks before the stream is open is lost, and the
// call waits for an answer until it is given up.
func (c *Conn) awaitStream(ctx context.Context) {
	if !c.hasAnnouncements() {
		return
	}
	select {
	case <-c.listened:
	case <-ctx.Done():
	case <-time.After(listenPatience):
		c.noteListened()
	}
}

// readEvents calls hear with the data of every event of a stream, which bounds each.
func readEvents(stream io.Reader, hear func(data []byte)) error {
	in := bufio.NewReader(stream)
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if said, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, said...), '\n')
		}
		if len(line) == 0 {
			if len(bytes.TrimSpace(data)) > 0 {
				hear(data)
			}
			data = nil
		}
	}
}

// announced takes a message of a stream that belongs to no request.
func (c *Conn) announced(message []byte) {
	if r, ok := asRequest(message); ok {
		c.asked(r)
		return
	}
	var n mcp.JSONRPCNotification
	if json.Unmarshal(message, &n) == nil && n.Method != "" {
		c.notified(n)
	}
}

// asRequest reads a message if it is a request.
func asRequest(message []byte) (transport.JSONRPCRequest, bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method == "" || len(m.ID) == 0 || string(m.ID) == "null" {
		return transport.JSONRPCRequest{}, false
	}
	return transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Method: m.Method, Params: m.Params}, true
}

// streamOpened notes that a stream of announcements is open. What was announced between it and the one before is lost, so the lists are fetched
// again, unless they have just been.
func (c *Conn) streamOpened() {
	e := &c.events
	e.mu.Lock()
	fetch := e.streamed && time.Since(e.fetched) >= missedPause
	if fetch {
		e.fetched = time.Now()
	}
	e.streamed = true
	e.mu.Unlock()
	if fetch {
		e.note(func(n *News) { n.Tools, n.Prompts, n.Resources = true, true, true })
	}
}
