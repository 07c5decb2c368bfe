package servers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// flooder is a herald that sends more notifications on a stream than are read at once.
type flooder struct {
	herald
	on string // the method of the request with the stream
}

// RoundTrip implements http.RoundTripper.
func (f *flooder) RoundTrip(r *http.Request) (*http.Response, error) {
	q := mcptest.Read(r.Body)
	if q.Method != f.on {
		r.Body, _ = r.GetBody()
		return f.herald.RoundTrip(r)
	}
	body, out := io.Pipe()
	context.AfterFunc(r.Context(), func() { out.Close() })
	go func() {
		_, err := io.WriteString(out, notification(strings.Repeat("x", 12<<20))) // the next one waits a quarter second
		for err == nil {
			_, err = io.WriteString(out, notification("x"))
		}
	}()
	return response(r, "text/event-stream", body)
}

func notification(data string) string {
	return `data: {"method":"notifications/message","params":{"data":"` + data + "\"}}\n\n"
}

// Transport implements mcpclient.Login.
func (f *flooder) Transport(http.RoundTripper) http.RoundTripper { return f }

func TestCancelledCallReturnsAtOnceDuringFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: "https://mcp.example", Login: &flooder{on: "tools/call"}})
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(100*time.Millisecond, cancel)
		_, err := set.Call(ctx, mcpclient.Call{Tool: "shop__tool1"}, nil)
		if took := time.Since(began); !errors.Is(err, context.Canceled) || took != 100*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestCloseReturnsAtOnceDuringFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := &flooder{on: "subscriptions/listen"}
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: "https://mcp.example", Login: login})
		time.Sleep(100 * time.Millisecond)
		began := time.Now()
		set.Close()
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}
