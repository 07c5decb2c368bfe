package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
)

type breakKey struct{}

// OnBreak returns the context of a request whose answer may end too early, or in another way than well: note is told how, by whoever reads it.
func OnBreak(ctx context.Context, note func(error)) context.Context {
	return context.WithValue(ctx, breakKey{}, note)
}

// noted is who is told of a request's answer.
func noted(ctx context.Context) func(error) {
	if note, ok := ctx.Value(breakKey{}).(func(error)); ok {
		return note
	}
	return func(error) {}
}

type statusKey struct{}

// WithStatus returns the context of a request, and where the status is found that the server last answered a POST of it with; 0: none so far.
func WithStatus(ctx context.Context) (context.Context, *atomic.Int32) {
	status := &atomic.Int32{}
	return context.WithValue(ctx, statusKey{}, status), status
}

// noteStatus tells whoever asked for it what a POST was answered with.
func noteStatus(response *http.Response, sent *http.Request) {
	if status, ok := sent.Context().Value(statusKey{}).(*atomic.Int32); ok && sent.Method == http.MethodPost {
		status.Store(int32(response.StatusCode)) //nolint:gosec // net/http reads three digits
	}
}

// isStream tells an answer that consists of events.
func isStream(response *http.Response) bool { return mediaType(response) == "text/event-stream" }

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// maxJoining bounds, in bytes, what mcp-go copies while it joins the lines of one event, which it does anew for each: a second or two.
const maxJoining = 8 << 30

// MaxAnswer bounds one answer, or one event of a stream of them; mcp-go reads either into memory whole.
const MaxAnswer = 64 << 20

var (
	errTooBig       = fmt.Errorf("the answer is over the limit of %d MB: ask for less", MaxAnswer>>20)
	errTooManyLines = errors.New("the answer comes in so many lines that joining them would take minutes: ask for less")
	// ErrTooEarly is how an answer ended whose stream ended before it, or without it.
	ErrTooEarly = errors.New("the connection ended before the answer was there")
)

// boundedBody ends with an error instead of filling the memory. It tells whoever waits for the answer how it ended: mcp-go does not.
type boundedBody struct {
	io.ReadCloser
	broke  func(error)
	stream bool
	size   int   // of the answer, or of the event
	joined int64 // what is copied to join the lines of the event
	events events
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	switch {
	case b.size > MaxAnswer:
		n, err = 0, errTooBig
		b.broke(err)
	case b.joined > maxJoining:
		n, err = 0, errTooManyLines
		b.broke(err)
	case err == io.EOF && b.stream:
		b.broke(ErrTooEarly) // which matters only while an answer is missing
	case err != nil && err != io.EOF:
		b.broke(err)
	}
	return n, err
}

// count starts again after an event.
func (b *boundedBody) count(p []byte) {
	if !b.stream {
		b.size += len(p)
		return
	}
	for part := range bytes.Lines(p) {
		b.size += len(part)
		if part[len(part)-1] == '\n' {
			b.joined += int64(b.size)
		}
		if b.events.end(part) {
			b.size, b.joined = 0, 0
		}
	}
}

// events finds out where the events of a stream end: at an empty line.
type events struct {
	line int // bytes of the line so far, without its end
}

// end tells whether an event ends with this line, or this part of one.
func (e *events) end(part []byte) bool {
	e.line += len(bytes.TrimRight(part, "\r\n"))
	if part[len(part)-1] != '\n' {
		return false
	}
	empty := e.line == 0
	e.line = 0
	return empty
}
