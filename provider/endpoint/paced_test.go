package endpoint

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// socket is a body whose reads return everything that has come.
type socket chan string

func (s socket) Read(b []byte) (int, error) {
	text, ok := <-s
	if !ok {
		return 0, io.EOF
	}
	for len(s) > 0 && len(text) < fullBatch {
		text += <-s
	}
	return copy(b, text), nil
}

func (socket) Close() error { return nil }

func TestPacedReads(t *testing.T) {
	for _, test := range []struct {
		name        string
		pieces      int
		piece       string
		gap         time.Duration
		least, most int           // reads
		late        time.Duration // of the last piece
	}{
		{"fast pieces come in batches", 400, "token", 5 * time.Millisecond, 60, 80, pause},
		{"many bytes come in larger batches", 400, strings.Repeat("x", 100), 5 * time.Millisecond, 40, 52, longPause},
		{"slow pieces come at once", 40, "token", 50 * time.Millisecond, 40, 42, 0},
		{"short replies come at once", 5, "token", time.Millisecond, 5, 7, 0},
		{"a large body is not delayed", 400, strings.Repeat("x", fullBatch), 0, 100, 1 << 20, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				body := make(socket, test.pieces)
				go func() {
					defer close(body)
					for range test.pieces {
						time.Sleep(test.gap)
						body <- test.piece
					}
				}()
				p := &paced{ReadCloser: body, done: make(chan struct{})}
				buf := make([]byte, 4*fullBatch)
				var got, reads int
				var last time.Duration
				for {
					n, err := p.Read(buf)
					if got += n; errors.Is(err, io.EOF) {
						break
					}
					reads++
					last = time.Since(began)
				}
				if want := test.pieces * len(test.piece); got != want {
					t.Errorf("read %d bytes of %d", got, want)
				}
				if reads < test.least || reads > test.most {
					t.Errorf("%d reads, want %d to %d", reads, test.least, test.most)
				}
				if late := last - time.Duration(test.pieces)*test.gap; late > test.late {
					t.Errorf("the end came %v late, want at most %v", late, test.late)
				}
			})
		})
	}
}

func TestPauseEndsWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		p := &paced{ReadCloser: io.NopCloser(strings.NewReader("")), done: ctx.Done(), after: began.Add(time.Hour)}
		if _, err := p.Read(make([]byte, 8)); !errors.Is(err, io.EOF) || time.Since(began) > 0 {
			t.Errorf("read after %v with error %v, want the end at once", time.Since(began), err)
		}
	})
}
