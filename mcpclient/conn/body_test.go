package conn

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEventSize(t *testing.T) {
	for stream, want := range map[string]int{
		"data: a\n\ndata: bc\n": len("data: bc\n"),
		"data: a\r\n\r\n: d":    len(": d"),
		"data: a\n\r\n":         0,
		"data: a\nx\n":          len("data: a\nx\n"),
	} {
		body := &boundedBody{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader(stream))), stream: true,
			broke: func(error) {}}
		if _, err := io.ReadAll(body); err != nil || body.size != want {
			t.Errorf("%q: %d bytes of an event, want %d, %v", stream, body.size, want, err)
		}
	}
}

func TestEventWithManyLines(t *testing.T) {
	read := func(stream string) (told, err error) {
		body := &boundedBody{ReadCloser: io.NopCloser(strings.NewReader(stream)), stream: true,
			broke: func(err error) { told = err }}
		_, err = io.Copy(io.Discard, body)
		return told, err
	}
	if told, err := read("data: {\n" + strings.Repeat("data: x\n", 100_000)); !errors.Is(err, errTooManyLines) ||
		!errors.Is(told, errTooManyLines) {
		t.Errorf("an event of 100,000 lines is read: %v, %v", told, err)
	}
	if _, err := read(strings.Repeat("data: x\ndata: y\n\n", 100_000)); err != nil {
		t.Errorf("so many events are not: %v", err)
	}
	if _, err := read(strings.Repeat("data:   \"name\": \"a line of an answer that is laid out\",\n",
		10_000)); err != nil {
		t.Errorf("an answer of 10,000 lines is not: %v", err)
	}
}
