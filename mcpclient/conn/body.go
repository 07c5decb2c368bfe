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

// trip is what is seen of one request on its way over HTTP. Safe for concurrent use.
type trip struct {
	status atomic.Int32          // of the last response; 0: none so far
	broken atomic.Pointer[error] // how the response ended, if that is not well
}

type tripKey struct{}

// withTrip returns the context of a request, and what is going to be seen of it.
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

// explain says why the request went wrong: its response may say more than mcp-go does.
func (t *trip) explain(err error) error {
	if broken := t.broken.Load(); broken != nil {
		return &Error{Kind: *broken, Text: explain(*broken).Error(), Cause: err}
	}
	return explain(err)
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
	line   int   // of the event's last line so far, without its end
	joined int64 // what is copied to join the lines of the event
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

// count starts again after an event, which ends at an empty line.
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
