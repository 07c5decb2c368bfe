package conn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

const (
	// resumePause is the pause before a stream is resumed if the server sets none, and minResumePause the shortest pause.
	resumePause    = time.Second
	minResumePause = 10 * time.Millisecond

	deliverTimeout = 30 * time.Second // of a message without a response
	deleteTimeout  = time.Second      // of the end of a session, which delays leaving aloud
	maxRefusal     = 1 << 20          // bytes read of the response to a refused request
)

var errTooEarly = errors.New("the connection ended before the response")

// dialStreamable connects over streamable HTTP.
func (w *web) dialStreamable(ctx context.Context, to mcpclient.Server, h *elicit.Handler) (*Conn, error) {
	c := newConn(to, h)
	c.web, c.closing = w, c.endSession
	return c, c.start(ctx, to.Protocol)
}

// ask sends a request and waits for the response. tool is the tool of a call, else nil.
func (c *Conn) ask(ctx context.Context, m jsonrpc.Message, tool *mcpclient.Tool) (jsonrpc.Message, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return jsonrpc.Message{}, err
	}
	header := requestHeaders(c.agreed(), m, tool)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := c.do(ctx, http.MethodPost, c.server.URL, body, header)
	if err != nil {
		return jsonrpc.Message{}, err
	}
	defer func() {
		cancel() // first, because Close may block with HTTP/2 otherwise
		_ = response.Body.Close()
	}()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusAccepted {
		return c.refused(m, response)
	}
	if session := response.Header.Get(mcp.HeaderSessionID); m.Method == mcp.MethodInitialize && session != "" {
		c.web.session.Store(&session)
	}
	var answer jsonrpc.Message
	kind := mediaType(response)
	switch kind {
	case "application/json":
		answer, err = readResponse(m, response.Body)
	case "text/event-stream":
		answer, err = c.readStream(ctx, m, response.Body)
	default:
		err = fmt.Errorf("the response has content type %.60q, which is not MCP. Check the url", kind)
	}
	if lost := c.answeredSession(m, answer, kind == "text/event-stream"); lost != nil {
		return jsonrpc.Message{}, lost
	}
	return answer, err
}

// readResponse reads the response to a request.
func readResponse(request jsonrpc.Message, body io.Reader) (jsonrpc.Message, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxResponse+1))
	switch {
	case err != nil:
		return jsonrpc.Message{}, err
	case len(text) == 0:
		return jsonrpc.Message{}, io.EOF
	case len(text) > maxResponse:
		return jsonrpc.Message{}, errTooBig
	}
	m, ok := jsonrpc.Parse(text)
	if !ok {
		var first json.RawMessage // some servers send each response twice
		_ = json.NewDecoder(bytes.NewReader(text)).Decode(&first)
		if m, ok = jsonrpc.Parse(first); !ok {
			return jsonrpc.Message{}, errNotMCP
		}
	}
	return m, answers(request, m)
}

// answers returns an error unless m is the response to a request. An error may be without an id.
func answers(request, m jsonrpc.Message) error {
	switch {
	case m.Method != "", m.ID == nil && m.Error == nil:
		return errNotMCP
	case m.ID != nil && !m.HasID(request.ID):
		return errWrongID
	}
	return nil
}

// readStream reads the response to a request from a stream, and handles the messages before it. Before 2026-07-28 it
// resumes a stream that ended early if the server supports that.
func (c *Conn) readStream(
	ctx context.Context, request jsonrpc.Message, stream io.Reader,
) (response jsonrpc.Message, err error) {
	found, last := false, sse.Event{Retry: resumePause}
	var failure error // reported by the server instead of a message
	handle := func(e sse.Event) bool {
		last.ID, last.Retry = cmp.Or(e.ID, last.ID), max(cmp.Or(e.Retry, last.Retry), minResumePause)
		m, ok := jsonrpc.Parse(e.Data)
		switch {
		case ok && m.Method != "":
			c.handleMessage(ctx, m)
		case ok && (m.ID != nil || m.Error != nil):
			response, found = m, true
		default:
			failure = errorIn(e)
		}
		return !found && failure == nil
	}
	for {
		err = eachEvent(sse.NewReader(stream, maxResponse), handle)
		switch {
		case found:
			return response, answers(request, response)
		case failure != nil:
			return response, failure
		case !errors.Is(err, io.EOF):
			return response, err
		case last.ID == "" || c.isModern():
			return response, errTooEarly
		}
		resumed, err := c.resume(ctx, last)
		if err != nil {
			return response, err
		}
		defer resumed.Close()
		stream = resumed
	}
}

// resume opens a stream again after an event.
func (c *Conn) resume(ctx context.Context, last sse.Event) (io.ReadCloser, error) {
	select {
	case <-time.After(last.Retry):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	header := http.Header{}
	header.Set(mcp.HeaderLastEventID, last.ID)
	response, err := c.do(ctx, http.MethodGet, c.server.URL, nil, header)
	switch {
	case Unreachable(err):
		return nil, errHalfDone
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusOK && isStream(response):
		return response.Body, nil
	case response.StatusCode == http.StatusNotFound:
		c.web.forgotten.Store(true)
		err = ErrSessionEnded
	default:
		err = describeRefusal(response, nil)
	}
	_ = response.Body.Close()
	return nil, err
}

// refused returns the response to a request that the server refused, which may be a message.
func (c *Conn) refused(request jsonrpc.Message, response *http.Response) (jsonrpc.Message, error) {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	var answer *jsonrpc.Message
	if m, ok := jsonrpc.Parse(body); ok && m.Method == "" && m.Error != nil {
		answer = &m
	}
	status := response.StatusCode
	if request.Method == mcp.MethodInitialize && status < 500 || status == http.StatusUnauthorized {
		return jsonrpc.Message{}, describeRefusal(response, body)
	}
	if lost := c.refusedSession(request, response, body, answer); lost != nil {
		return jsonrpc.Message{}, lost
	}
	if answer != nil {
		return *answer, nil
	}
	return jsonrpc.Message{}, describeRefusal(response, body)
}

// deliver sends a message to an address, and waits until the server accepts it.
func (c *Conn) deliver(ctx context.Context, address string, message []byte) error {
	response, err := c.do(ctx, http.MethodPost, address, message, http.Header{})
	if err != nil {
		return err
	}
	return accepted(response)
}

// accepted returns an error unless the server accepted a message. It closes the response.
func accepted(response *http.Response) error {
	defer response.Body.Close()
	var body []byte
	if !isStream(response) { // which may last
		body, _ = io.ReadAll(io.LimitReader(response.Body, maxRefusal)) // so that the connection can be reused
	}
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	}
	return describeRefusal(response, body)
}

// endSession tells the server that the session has ended.
func (c *Conn) endSession() {
	defer c.web.base.CloseIdleConnections()
	if c.web.session.Load() == nil || c.web.forgotten.Load() || c.isModern() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if response, err := c.do(ctx, http.MethodDelete, c.server.URL, nil, http.Header{}); err == nil {
		_ = response.Body.Close()
	}
}

// do sends a request over HTTP in the session, with more headers.
func (c *Conn) do(ctx context.Context, method, place string, body []byte, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, place, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	request.Header.Set("Accept", "text/event-stream")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	if revision := c.agreed(); revision != "" {
		request.Header.Set(mcp.HeaderProtocolVersion, revision)
	}
	if session := c.web.session.Load(); session != nil && !c.isModern() {
		request.Header.Set(mcp.HeaderSessionID, *session)
	}
	return c.web.client().Do(request)
}
