package web

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/aloudchat/aloud/mcpclient/wirelog"
)

// readAlong returns next, and writes down what goes through it.
func readAlong(next http.RoundTripper, log *wirelog.Log) http.RoundTripper {
	if log == nil {
		return next
	}
	return loggedTrips{log, next}
}

type loggedTrips struct {
	log  *wirelog.Log
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Of the headers only the status and what it says about logging in is written down.
func (t loggedTrips) RoundTrip(r *http.Request) (*http.Response, error) {
	log := t.log.With("http", r.Method)
	log.Line(wirelog.Sent, bodyOf(r))
	response, err := t.next.RoundTrip(r)
	if err != nil {
		log.Failed(wirelog.Received, err)
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
	log    *wirelog.Log
	stream bool

	mu     sync.Mutex // a stream is closed by another goroutine than the one that reads it
	kept   []byte     // of what is being read
	size   int
	events events
	over   bool
}

func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	for part := range bytes.Lines(p[:n]) {
		b.size += len(part)
		b.kept = append(b.kept, part[:min(len(part), max(0, b.log.Kept()-len(b.kept)))]...)
		if b.stream && b.events.end(part) {
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
		b.log.Excerpt(wirelog.Received, b.kept, b.size)
	}
	b.kept, b.size = b.kept[:0], 0
}
