package web

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// hearing is how the stream goes on which servers of before 2026-07-28 say what belongs to no call. mcp-go asks for it again each second,
// whatever came of it.
type hearing struct {
	worked   bool          // the server has opened it once
	failures int           // since it was opened last
	pause    time.Duration // before it is asked for again
}

const (
	shortestPause = time.Second
	longestPause  = time.Minute

	// aWhile is how long a stream must have been open to have been worth it, though nothing came.
	aWhile = 10 * time.Second

	// maxFailures in a row, of a stream that was open before, mean that the server is gone.
	maxFailures = 3
)

// hear asks for the stream, the later the less it is worth. It closes lost when the server turns out to be gone or to have forgotten us, and
// says that there is no such stream when the server refuses it for good: mcp-go then stops to ask.
func (v *Visitor) hear(r *http.Request) (*http.Response, error) {
	if r.Response == nil { // a redirect has waited already
		v.mu.Lock()
		pause := v.hearing.pause
		v.hearing.pause = min(max(2*pause, shortestPause), longestPause)
		v.mu.Unlock()
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}

	opened := time.Now()
	response, err := v.visit(r)
	v.mu.Lock()
	defer v.mu.Unlock()
	h := &v.hearing
	switch {
	case err != nil && r.Context().Err() != nil:
		return nil, err
	case err != nil || response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests:
		h.failures++
		if h.worked && h.failures >= maxFailures {
			v.loseLocked()
		}
	case response.StatusCode >= 400:
		if h.worked {
			v.loseLocked() // it knows the stream, but our session no more
		}
		response.StatusCode = http.StatusMethodNotAllowed
	case response.StatusCode == http.StatusOK: // all else leads on to another place
		if h.worked && v.HearsAgain != nil {
			v.HearsAgain()
		}
		h.worked, h.failures = true, 0
		response.Body = &heardBody{ReadCloser: response.Body, worthIt: sync.OnceFunc(func() {
			v.mu.Lock()
			defer v.mu.Unlock()
			h.pause = 0
		}), opened: opened}
	}
	return response, err
}

// loseLocked gives the server up. v.mu is held.
func (v *Visitor) loseLocked() {
	select {
	case <-v.lost:
	default:
		close(v.lost)
	}
}

// heardBody is a stream that tells when it was worth asking for.
type heardBody struct {
	io.ReadCloser
	opened  time.Time
	worthIt func()
}

func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 || time.Since(b.opened) > aWhile {
		b.worthIt()
	}
	return n, err
}
