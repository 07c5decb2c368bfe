package endpoint

import (
	"io"
	"time"
)

// A fast stream of text is read a batch at a time: to wake up for each of two hundred tokens a second costs more than
// to draw them.
const (
	pause     = 33 * time.Millisecond // between two batches: thirty frames a second
	longPause = 50 * time.Millisecond // after a large batch: text too fast to read looks the same at twenty
	large     = 600                   // bytes of a large batch, with what is around each token: about five words
	promptly  = 8                     // reads without a pause, so that short replies come at once
	fullBatch = 2 << 10               // bytes after which there is no pause, because the server waits for the reader
)

// paced is a body that is read a batch at a time, unless its pieces are further apart than batches.
type paced struct {
	io.ReadCloser
	done  <-chan struct{} // ends a pause
	reads int
	after time.Time // when the next batch may be read
}

func (p *paced) Read(b []byte) (int, error) {
	if wait := time.Until(p.after); wait > 0 {
		select {
		case <-time.After(wait):
		case <-p.done:
		}
	}
	began := time.Now()
	n, err := p.ReadCloser.Read(b)
	now := time.Now()
	if p.reads++; p.reads > promptly && n < fullBatch && now.Sub(began) < pause {
		p.after = now.Add(pause)
		if n >= large {
			p.after = now.Add(longPause)
		}
	}
	return n, err
}
