package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aloudchat/aloud/internal/sse"
)

// read returns all events of a stream as text, and the error that ended it.
func read(stream io.Reader, isJSON bool) (string, error) {
	const limit = 1000
	r := sse.NewReader(stream, limit)
	r.JSON = isJSON
	var all []string
	for {
		e, err := r.Next()
		if err != nil {
			return strings.Join(all, " "), err
		}
		text := e.Name + e.ID
		if e.Retry > 0 {
			text += e.Retry.String()
		}
		all = append(all, fmt.Sprintf("%s%q", text, e.Data))
	}
}

func TestEvents(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\ndata: bc\n\n":                     `"a" "bc"`,
		"data: a\r\n\r\n: d\r\n\r\ndata: b\r\n\r\n":   `"a" "b"`,
		"data: a\r\rdata: b\rdata: c\r\r":             `"a" "b\nc"`,
		"data: a\n\r\ndata: b\r\n\rdata: c\r\n\n":     `"a" "b" "c"`,
		"event: x\nid: 1\ndata:a\ndata:  b\nodd\n\n":  `x1"a\n b"`,
		"data: a\n\nid: 1\ndata: b":                   `"a" "b"`,
		"data: a\n\nid: 1\n":                          `"a"`,
		"retry: 20\n\nretry: 2x\n\n":                  `20ms""`,
		"\ufeffdata: a\n\n\ufeffdata: b\n\n":          `"a"`,
		"\ufeff\ufeffdata: a\n\n":                     ``,
		"data\n\ndata:\ndata:\n\n":                    `"" "\n"`,
		"id: 1\x00\ndata: a\n\n":                      `"a"`,
		"{\"a\":1}\n\nerror: a\n\ndata: 1\ndata: 2\n": `"1\n2"`,
		"event: error\ndata: no model\n\n":            `error"no model"`,
	} {
		if got, err := read(strings.NewReader(stream), false); got != want || !errors.Is(err, io.EOF) {
			t.Errorf("%q gives %s, %v; want %s", stream, got, err, want)
		}
	}
}

func TestJSONEvents(t *testing.T) {
	for stream, want := range map[string]string{
		"data: {}\ndata: [1]\ndata: [DONE]\n":              `"{}" "[1]" "[DONE]"`,
		"data: {\"a\":\ndata: 1}\n\ndata: {}\n\n":          `"{\"a\":\n1}" "{}"`,
		"{\"a\":1}\n{\"b\":2}\n":                           `"{\"a\":1}" "{\"b\":2}"`,
		"{\n  \"a\":\n  1\n}\n\ndata: {}\n\n":              `"{\n  \"a\":\n  1\n}" "{}"`,
		"\ufeff  {\"a\":1}":                                `"{\"a\":1}"`,
		"  data: {}\n \n\tdata: {}\n":                      `"{}" "{}"`,
		"data: {}\n\nerror: {\"code\":500}\n\n":            `"{}" error"{\"code\":500}"`,
		"event: error\ndata: {}\n\nevent: x\ndata: no\n\n": `error"{}" x"no"`,
	} {
		if got, err := read(strings.NewReader(stream), true); got != want || !errors.Is(err, io.EOF) {
			t.Errorf("%q gives %s, %v; want %s", stream, got, err, want)
		}
	}
}

func TestLargeEventsAreRefused(t *testing.T) {
	for name, stream := range map[string]string{
		"a line":        "data: " + strings.Repeat("x", 1001),
		"a comment":     ":" + strings.Repeat("x", 100_000),
		"many lines":    strings.Repeat("data: x\n", 1000),
		"only newlines": strings.Repeat("data\n", 1100),
	} {
		if got, err := read(strings.NewReader(stream), false); !errors.Is(err, sse.ErrTooLarge) || got != "" {
			t.Errorf("%s gives %s, %v", name, got, err)
		}
	}
	if got, err := read(strings.NewReader(strings.Repeat(": x\n\ndata: x\n\n", 1000)), false); !errors.Is(err, io.EOF) {
		t.Errorf("many small events end with %v after %d bytes", err, len(got))
	}
}

func TestLostConnectionDropsTheIncompleteEvent(t *testing.T) {
	lost := errors.New("lost")
	stream := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(lost))
	if got, err := read(stream, false); got != `"a"` || !errors.Is(err, lost) {
		t.Errorf("%s, %v", got, err)
	}
}

// TestEventsComeAtTheirEnd checks that no event waits for a byte after its end.
func TestEventsComeAtTheirEnd(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r", "\r\n\r"} {
		waits := iotest.ErrReader(errors.New("read after the end"))
		r := sse.NewReader(io.MultiReader(strings.NewReader("data: a"+end), waits), 1000)
		if e, err := r.Next(); err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %q, %v", end, e.Data, err)
		}
	}
}

// FuzzEvents checks that any split of a stream gives the same events.
func FuzzEvents(f *testing.F) {
	f.Add("\ufeffdata: a\r\n\r\ndata: b\r\rid: 1\rretry: 3\n\n", false)
	f.Add("{\"a\":\n1}\n\nerror: {}\ndata: [DONE]", true)
	f.Add("event: error\ndata: é\r\ndata\n\r\n:\r", false)
	f.Fuzz(func(t *testing.T, stream string, isJSON bool) {
		want, wantErr := read(strings.NewReader(stream), isJSON)
		for name, split := range map[string]io.Reader{
			"bytes":  iotest.OneByteReader(strings.NewReader(stream)),
			"halves": iotest.HalfReader(strings.NewReader(stream)),
			"two":    io.MultiReader(strings.NewReader(stream[:len(stream)/2]), strings.NewReader(stream[len(stream)/2:])),
			"at end": iotest.DataErrReader(strings.NewReader(stream)),
		} {
			if got, err := read(split, isJSON); got != want || !errors.Is(err, wantErr) {
				t.Errorf("%q in %s gives %s, %v; want %s, %v", stream, name, got, err, want, wantErr)
			}
		}
	})
}
