package conn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// trip is what is seen of one request on its way over HTTP. Safe for concurrent use.
type trip struct {
	sent   atomic.Bool           // its headers were sent
	status atomic.Int32          // of the last response; 0: none so far
	broken atomic.Pointer[error] // how the response ended, if that is not well
}

type tripKey struct{}

// withTrip returns the context of a request, and what is going to be seen of it.
func withTrip(ctx context.Context) (context.Context, *trip) {
	t := &trip{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { t.sent.Store(true) }})
	return context.WithValue(ctx, tripKey{}, t), t
}

func tripOf(ctx context.Context) *trip {
	if t, ok := ctx.Value(tripKey{}).(*trip); ok {
		return t
	}
	return &trip{}
}

func (t *trip) broke(err error) { t.broken.Store(&err) }

func (t *trip) lastStatus() int { return int(t.status.Load()) }

func (t *trip) err() error {
	if err := t.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// isStream reports whether an answer consists of events.
func isStream(response *http.Response) bool { return mediaType(response) == "text/event-stream" }

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// maxJoining bounds, in bytes, what mcp-go copies while it joins the lines of one event, one by one: a second or two.
const maxJoining = 8 << 30

// maxAnswer bounds one answer, or one event of a stream of them; mcp-go reads either into memory whole.
const maxAnswer = 64 << 20

var (
	errTooBig       = fmt.Errorf("the answer is over the limit of %d MB: ask for less", maxAnswer>>20)
	errTooManyLines = errors.New("the answer comes in so many lines that joining them would take minutes: ask for less")
	// errTooEarly is how an answer ended whose stream ended before it, or without it.
	errTooEarly = errors.New("the connection ended before the answer was there")
)

// boundedBody ends with an error instead of filling the memory. It notes how the answer ended, which mcp-go does not tell.
type boundedBody struct {
	io.ReadCloser
	broke  func(error)
	stream bool
	size   int   // of the answer, or of the event
	joined int64 // what is copied to join the lines of the event
	ends   eventEnds
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	switch {
	case b.size > maxAnswer:
		n, err = 0, errTooBig
		b.broke(err)
	case b.joined > maxJoining:
		n, err = 0, errTooManyLines
		b.broke(err)
	case err == io.EOF && b.stream:
		b.broke(errTooEarly) // which matters only while an answer is missing
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
		if b.ends.end(part) {
			b.size, b.joined = 0, 0
		}
	}
}

// eventEnds finds out where the events of a stream end: at an empty line.
type eventEnds struct {
	line int // bytes of the line so far, without its end
}

// end reports whether an event ends with this line, or this part of one.
func (e *eventEnds) end(part []byte) bool {
	e.line += len(bytes.TrimRight(part, "\r\n"))
	if part[len(part)-1] != '\n' {
		return false
	}
	empty := e.line == 0
	e.line = 0
	return empty
}

type loggedTrips struct {
	log  *Log
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Of the headers only the status and what it says about logging in is written down.
func (t loggedTrips) RoundTrip(r *http.Request) (*http.Response, error) {
	log := t.log.With("http", r.Method)
	log.Line(Sent, bodyOf(r))
	response, err := t.next.RoundTrip(r)
	if err != nil {
		log.Failed(Received, err)
		return nil, err
	}
	log = log.With("status", response.StatusCode)
	if challenge := response.Header.Get("WWW-Authenticate"); challenge != "" {
		log = log.With("www_authenticate", log.Hidden(challenge))
	}
	response.Body = &loggedBody{ReadCloser: response.Body, log: log, stream: isStream(response)}
	return response, nil
}

// bodyOf is a request's body, read from a copy.
func bodyOf(r *http.Request) []byte {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	defer func() { _ = body.Close() }()
	text, _ := io.ReadAll(body) // it is in memory
	return text
}

// loggedBody writes an answer down as it is read: whole, or event by event.
type loggedBody struct {
	io.ReadCloser
	log    *Log
	stream bool

	mu   sync.Mutex // a stream is closed by another goroutine than the one that reads it
	kept []byte     // of what is being read
	size int
	ends eventEnds
	over bool
}

func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	for part := range bytes.Lines(p[:n]) {
		b.size += len(part)
		b.kept = append(b.kept, part[:min(len(part), max(0, b.log.Kept()-len(b.kept)))]...)
		if b.stream && b.ends.end(part) {
			b.flush()
		}
	}
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *loggedBody) Close() error {
	b.mu.Lock()
	b.end()
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

// end writes the rest down. b.mu is held.
func (b *loggedBody) end() {
	if !b.over {
		b.over = true
		b.flush()
	}
}

// flush writes down what was read. A stream's end is nothing of its own. b.mu is held.
func (b *loggedBody) flush() {
	if !b.stream || len(bytes.TrimSpace(b.kept)) > 0 {
		b.log.Excerpt(Received, b.kept, b.size)
	}
	b.kept, b.size = b.kept[:0], 0
}
