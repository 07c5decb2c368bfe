package conn

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// TestErrorEventIsShown checks that the error of a gateway in place of a message is shown, over both transports.
func TestErrorEventIsShown(t *testing.T) {
	for stream, want := range map[string]string{
		"event: error\ndata: upstream is down\n\n":               "the server reported an error: upstream is down",
		"event: error\rdata: {\"message\":\rdata: \"down\"}\r\r": "the server reported an error: down",
		"\ufeffevent: error\n\n":                                 "the server reported an error: no message",
		"event: error\ndata: \x1b[2Jred\n\n":                     "the server reported an error: [2Jred",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, stream)
		}))
		for _, transport := range []string{"", "sse"} {
			c, err := Dial(t.Context(), mcpclient.Server{URL: s.URL, Transport: transport}, &elicit.Handler{}, nil)
			if err == nil {
				c.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q over %q: %v", stream, transport, err)
			}
		}
		s.Close()
	}
}
