package conn

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

// trip records what happens to one request over HTTP. Safe for concurrent use.
type trip struct {
	status atomic.Int32          // of the last response, 0 if none so far
	broken atomic.Pointer[error] // why the response is incomplete or refused
}

type tripKey struct{}

// withTrip returns a context that records a request in the returned trip.
func withTrip(ctx context.Context) (context.Context, *trip) {
	t := &trip{}
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

// explain returns why the request failed: the response may say more than mcp-go's error.
func (t *trip) explain(err error) error {
	if broken := t.broken.Load(); broken != nil {
		return &Error{Kind: *broken, Text: explain(*broken).Error(), Cause: err}
	}
	return explain(err)
}

// refusal returns the refusal of the request instead of err, if there was one.
func (t *trip) refusal(err error) error {
	if broken := t.broken.Load(); broken != nil {
		if refused, ok := errors.AsType[refusalError](*broken); ok {
			return refused
		}
	}
	return err
}

// isStream reports whether a response is a stream of events.
func isStream(response *http.Response) bool { return mediaType(response) == "text/event-stream" }

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// maxJoining limits the bytes that mcp-go copies while it joins the lines of one event one by one. It takes a second or
// two.
const maxJoining = 8 << 30

// maxResponse limits one response, or one event of a stream. mcp-go reads either into memory as a whole.
const maxResponse = 64 << 20

var (
	errTooBig       = fmt.Errorf("the response is larger than %d MB: request less", maxResponse>>20)
	errTooManyLines = errors.New("the response has too many lines: request less")
	errTooEarly     = errors.New("the connection ended before the response")
)

// boundedBody returns an error for responses that are too large. It also reports how a response ended, which mcp-go
// does not.
type boundedBody struct {
	io.ReadCloser
	broke  func(error)
	stream bool
	size   int   // of the response or event so far
	line   int   // of the event's last line so far, without its end
	joined int64 // bytes copied to join the lines of the event
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	switch {
	case b.size > maxResponse:
		n, err = 0, errTooBig
		b.broke(err)
	case b.joined > maxJoining:
		n, err = 0, errTooManyLines
		b.broke(err)
	case err == io.EOF && b.stream:
		b.broke(errTooEarly) // matters only if the response is missing
	case err != nil && err != io.EOF:
		b.broke(err)
	}
	return n, err
}

// count adds to the size of the response or event. An empty line ends an event.
func (b *boundedBody) count(p []byte) {
	if !b.stream {
		b.size += len(p)
		return
	}
	for part := range bytes.Lines(p) {
		b.size += len(part)
		b.line += len(bytes.TrimRight(part, "\r\n"))
		if part[len(part)-1] != '\n' {
			return
		}
		b.joined += int64(b.size)
		if b.line == 0 {
			b.size, b.joined = 0, 0
		}
		b.line = 0
	}
}
