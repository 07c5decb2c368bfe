package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/secret"
)

// wireLog writes what goes over the wire of one server into the program's log: every message, to the byte as far as it is kept. Nil: nobody
// reads along, which costs nothing.
type wireLog struct {
	log     *slog.Logger
	secrets secrets
}

const (
	sent     = "sent"
	received = "received"
)

// loggedBytes of a message are written down; its whole size is said.
const loggedBytes = 4 << 10

// newWireLog returns nil unless the log wants to know so much.
func newWireLog(config Server) *wireLog {
	if !slog.Default().Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return &wireLog{slog.Default().With("server", config.Name), secretsOf(config)}
}

// line writes a message down.
func (l *wireLog) line(direction string, message []byte, more ...any) {
	if l != nil {
		l.excerpt(direction, message, len(message), more...)
	}
}

// value writes a message of a server in this process down, which never was bytes.
func (l *wireLog) value(direction string, message any) {
	if l == nil {
		return
	}
	raw, err := json.Marshal(message)
	if err != nil {
		raw = []byte(err.Error())
	}
	l.line(direction, raw)
}

// excerpt writes the beginning of a message of so many bytes down.
func (l *wireLog) excerpt(direction string, beginning []byte, size int, more ...any) {
	text := l.mask(beginning[:min(len(beginning), l.kept())], size)
	l.log.Debug("wire", append([]any{"direction", direction, "bytes", size, "message", text}, more...)...)
}

// kept is how much of a message must be looked at: a secret may begin where the excerpt ends.
func (l *wireLog) kept() int { return loggedBytes + l.secrets.Longest() }

// mask returns the beginning of a message without what is secret in it.
func (l *wireLog) mask(beginning []byte, size int) string {
	text := l.secrets.Text(strings.ToValidUTF8(string(bytes.TrimSpace(beginning)), "\uFFFD"))
	if size > len(beginning) {
		text = text[:max(0, len(text)-l.secrets.Longest())] // the beginning of a secret may be left there
	}
	text = secret.Mask(text)
	if len(text) > loggedBytes {
		text = text[:loggedBytes]
	}
	return strings.ToValidUTF8(text, "")
}

// readAlong returns next, and writes down what goes through it.
func (l *wireLog) readAlong(next http.RoundTripper) http.RoundTripper {
	if l == nil {
		return next
	}
	return loggedTrips{l, next}
}

type loggedTrips struct {
	log  *wireLog
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Of the headers only the status and what it says about logging in is written down.
func (t loggedTrips) RoundTrip(r *http.Request) (*http.Response, error) {
	request := t.log.log.With("http", r.Method)
	to := &wireLog{request, t.log.secrets}
	to.line(sent, bodyOf(r))
	response, err := t.next.RoundTrip(r)
	if err != nil {
		to.log.Debug("wire", "direction", received, "error", to.mask([]byte(err.Error()), 0))
		return nil, err
	}
	from := &wireLog{request.With("status", response.StatusCode), t.log.secrets}
	if challenge := response.Header.Get("WWW-Authenticate"); challenge != "" {
		from.log = from.log.With("www_authenticate", from.mask([]byte(challenge), 0))
	}
	response.Body = &loggedBody{ReadCloser: response.Body, log: from, stream: mediaType(response) == "text/event-stream"}
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
	log    *wireLog
	stream bool

	mu   sync.Mutex // a stream is closed by another goroutine than the one that reads it
	kept []byte     // of what is being read
	size int
	line int // bytes of the line that is being read, without its end
	over bool
}

func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	for part := range bytes.Lines(p[:n]) {
		b.size += len(part)
		b.kept = append(b.kept, part[:min(len(part), max(0, b.log.kept()-len(b.kept)))]...)
		b.line += len(bytes.TrimRight(part, "\r\n"))
		if b.stream && part[len(part)-1] == '\n' {
			if b.line == 0 {
				b.flush()
			}
			b.line = 0
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
	if b.stream && len(bytes.TrimSpace(b.kept)) == 0 {
		b.kept, b.size = b.kept[:0], 0
		return
	}
	b.log.excerpt(received, b.kept, b.size)
	b.kept, b.size = b.kept[:0], 0
}
