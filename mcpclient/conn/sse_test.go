package conn

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mark3labs/mcp-go/client/transport"
)

// overhear reads a stream as it comes, or byte by byte, and tells what was asked on it.
func overhear(stream string, slowly bool) string {
	var asked []string
	var in io.Reader = strings.NewReader(stream)
	if slowly {
		in = iotest.OneByteReader(in)
	}
	o := &overheard{ReadCloser: io.NopCloser(in), asked: func(r transport.JSONRPCRequest) { asked = append(asked, r.Method) }}
	_, _ = io.Copy(io.Discard, o)
	return strings.Join(asked, " ")
}

func TestQuestionsAreOverheard(t *testing.T) {
	for stream, want := range map[string]string{
		"data: {\"id\":1,\"method\":\"ping\"}\n\n":                                          "ping",
		"event: message\r\ndata:{\"id\":\"a\",\r\ndata: \"method\":\"ping\"}\r\n\r\n":       "ping",
		"event: endpoint\ndata: /answers\n\ndata: {\"id\":1,\"method\":\"roots/list\"}\n\n": "roots/list",
		"data: {\"id\":null,\"method\":\"ping\"}\n\ndata: {\"method\":\"told\"}\n\n":        "",
		"data: {\"id\":1,\"result\":{}}\n\n: {\"id\":1,\"method\":\"ping\"}\n\n":            "",
		"data: {\"id\":1,\"method\":\"ping\"}\n":                                            "",
	} {
		for _, slowly := range []bool{false, true} {
			if got := overhear(stream, slowly); got != want {
				t.Errorf("%q asks %q, want %q", stream, got, want)
			}
		}
	}
}

func FuzzOverheard(f *testing.F) {
	f.Add("data: {\"id\":1,\ndata: \"method\":\"ping\"}\r\n\n: x\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		if at, slowly := overhear(stream, false), overhear(stream, true); at != slowly {
			t.Errorf("%q asks %q, and slowly %q", stream, at, slowly)
		}
	})
}
