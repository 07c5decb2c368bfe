package web

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/aloudchat/aloud/secret"
)

func TestEventsAreMeasuredOneByOne(t *testing.T) {
	for stream, want := range map[string]int{
		"data: a\n\ndata: bc\n": len("data: bc\n"),
		"data: a\r\n\r\n: d":    len(": d"),
		"data: a\n\r\n":         0,
		"data: a\nx\n":          len("data: a\nx\n"),
	} {
		body := &boundedBody{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader(stream))), stream: true, broke: func(error) {}}
		if _, err := io.ReadAll(body); err != nil || body.size != want {
			t.Errorf("%q: %d bytes of an event, want %d, %v", stream, body.size, want, err)
		}
	}
}

// mcp-go reads a stream on one goroutine and closes it on another.
func TestAStreamMayBeClosedWhileItIsRead(t *testing.T) {
	r, w := io.Pipe()
	body := &loggedBody{ReadCloser: r, log: wirelog.New(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})), "x", secret.Hider{}), stream: true}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(io.Discard, body) })
	for range 100 {
		if _, err := io.WriteString(w, "data: {}\n\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	reading.Wait()
}
