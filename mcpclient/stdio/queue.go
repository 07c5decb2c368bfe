package stdio

import (
	"errors"
	"io"
	"sync"
)

var errNotReading = errors.New("the server does not read its standard input")

const maxQueued = 8 << 20 // bytes; one message always fits

// queue writes to a pipe without blocking callers if the server does not read.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	lines   [][]byte
	size    int // bytes of the lines, including those being written
	closed  bool
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// Write queues a line, which must not be changed afterwards.
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

// Close makes drain write the queued lines and close the pipe.
func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Signal()
}

// drain writes queued lines to the pipe until Close. It returns an error if the server closed its end.
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
