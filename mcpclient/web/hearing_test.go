package web

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// way is a network of one answer.
type way func() (*http.Response, error)

func (w way) RoundTrip(*http.Request) (*http.Response, error) { return w() }

func stream(status int, text string) way {
	return func() (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text)), Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
	}
}

// hearAgain asks for the stream so often, each time after it has ended, and returns how long that took.
func hearAgain(t *testing.T, v *Visitor, through way, times int) time.Duration {
	t.Helper()
	v.way = through
	began := time.Now()
	for range times {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop.example/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := v.RoundTrip(r); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
		}
	}
	return time.Since(began)
}

func TestAStreamIsAskedForTheLaterTheLessItIsWorth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := New(Place{URL: "http://shop.example/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := hearAgain(t, v, stream(200, ""), 5); took != 15*time.Second { // after 0, 1, 2, 4 and 8
			t.Errorf("five streams of nothing: %v", took)
		}
		if took := hearAgain(t, v, stream(200, ": news\n\n"), 10); took != 16*time.Second {
			t.Errorf("ten streams with news: %v", took)
		}
		again := 0
		v.HearsAgain = func() { again++ }
		hearAgain(t, v, stream(200, ""), 3)
		if again != 3 {
			t.Errorf("what three new streams may have missed was looked at %d times", again)
		}
		hearAgain(t, v, stream(503, ""), 2)
		select {
		case <-v.lost:
			t.Error("a server that is busy was given up")
		default:
		}
		hearAgain(t, v, func() (*http.Response, error) { return nil, errors.New("connection refused") }, 1)
		select {
		case <-v.lost:
		default:
			t.Error("a server that is gone was not noticed")
		}
		if took := hearAgain(t, v, stream(503, ""), 100); took > 100*longestPause {
			t.Errorf("a hundred attempts: %v", took)
		}
	})
}

// A path that leads on to another, as many routers have it, says nothing of the stream there.
func TestARedirectedPathIsNoStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := New(Place{URL: "http://shop.example/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v.way = wayTo(func(r *http.Request) *http.Response {
			answer := &http.Response{StatusCode: http.StatusMethodNotAllowed, Body: http.NoBody, Header: http.Header{}, Request: r}
			if r.URL.Path == "/mcp" {
				answer.StatusCode = http.StatusTemporaryRedirect
				answer.Header.Set("Location", "/mcp/")
			}
			return answer
		})
		began := time.Now()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop.example/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := v.Client().Do(r)
		if err != nil || response.StatusCode != http.StatusMethodNotAllowed || time.Since(began) != 0 {
			t.Fatalf("%v, %v, after %v", response, err, time.Since(began))
		}
		_ = response.Body.Close()
		select {
		case <-v.lost:
			t.Error("a server without the stream was given up")
		default:
		}
	})
}

// wayTo is a network of one server.
type wayTo func(*http.Request) *http.Response

func (w wayTo) RoundTrip(r *http.Request) (*http.Response, error) { return w(r), nil }

// Old servers announce where they want to be written to, and mcp-go compares only the host.
func TestASafeServerIsNotWrittenToInClear(t *testing.T) {
	v, err := New(Place{URL: "https://shop.example/sse", SSE: true, Headers: map[string]string{"Authorization": "Bearer abc"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	v.way = way(func() (*http.Response, error) {
		asked++
		return stream(200, "")()
	})
	for place, want := range map[string]int{"http://shop.example/messages": 0, "https://shop.example/messages": 1} {
		asked = 0
		response, err := v.Client().Post(place, "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		if asked != want || (err == nil) != (want == 1) {
			t.Errorf("%s was asked %d times: %v", place, asked, err)
		}
	}
}
