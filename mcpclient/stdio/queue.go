package stdio

import (
	"errors"
	"io"
	"sync"
)

// errNotReading is what a caller gets while the server leaves megabytes of messages unread.
var errNotReading = errors.New("the server does not read its standard input")

// maxQueued bounds what waits for a server that does not read; one message always fits.
const maxQueued = 8 << 20

// queue stands between callers and a pipe, so that a server that does not read does not block them.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	lines   [][]byte
	size    int // bytes of the lines, and of those that are being written
	closed  bool
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// Write queues a line, which then belongs to the queue.
func (q *queue) Write(line []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return io.ErrClosedPipe
	case q.size > 0 && q.size+len(line) > maxQueued:
		return errNotReading
	}
	q.lines = append(q.lines, line)
	q.size += len(line)
	q.changed.Signal()
	return nil
}

// Close lets drain write what is still queued and close the pipe.
func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Signal()
}

// drain writes what is queued to the pipe until Close. It returns an error when the server closes its end.
func (q *queue) drain(pipe io.WriteCloser) error {
	defer pipe.Close()
	for {
		q.mu.Lock()
		for len(q.lines) == 0 && !q.closed {
			q.changed.Wait()
		}
		lines := q.lines
		q.lines = nil
		q.mu.Unlock()
		if len(lines) == 0 {
			return nil
		}
		for _, line := range lines {
			if _, err := pipe.Write(line); err != nil {
				q.Close()
				return err
			}
			q.mu.Lock()
			q.size -= len(line)
			q.mu.Unlock()
		}
	}
}
