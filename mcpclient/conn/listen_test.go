package conn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// network responds to the n-th request, from 1.
type network func(n int) (status int, body string, err error)

type counted struct {
	network
	n int
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n++
	status, body, err := c.network(c.n)
	if err != nil {
		return nil, err
	}
	response := &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}}}
	if status == http.StatusTemporaryRedirect {
		response.Header.Set("Location", r.URL.Path+"/")
	}
	return response, nil
}

// listenFor runs listen for a time, and returns the number of requests.
func listenFor(t *testing.T, d time.Duration, n network) (asks int, err error) {
	t.Helper()
	to := Server{URL: "http://shop.example/mcp"}
	w, err := newWeb(to, &url.URL{Scheme: "http", Host: "shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	through := &counted{network: n}
	w.next = through
	c := newConn(to, &scripted{}, &elicit.Handler{})
	c.web = w
	c.setRevision(mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	err = c.listen(ctx)
	return through.n, err
}

func TestListenPauses(t *testing.T) {
	broken := errors.New("broken pipe")
	for name, test := range map[string]struct {
		network
		asks int // in a minute
	}{
		"nothing":    {func(int) (int, string, error) { return 200, "", nil }, 6}, // after 0, 1, 3, 7, 15 and 31 seconds
		"busy":       {func(int) (int, string, error) { return 503, "", nil }, 6},
		"no stream":  {func(int) (int, string, error) { return 405, "", nil }, 1},
		"no path":    {func(int) (int, string, error) { return 404, "", nil }, 1},
		"redirected": {func(n int) (int, string, error) { return []int{307, 405}[n-1], "", nil }, 2},
		"broken":     {func(int) (int, string, error) { return 0, "", broken }, 6},
		"forgotten":  {func(n int) (int, string, error) { return []int{200, 404}[n-1], "", nil }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asks, err := listenFor(t, 59500*time.Millisecond, test.network)
				if asks != test.asks || err != nil {
					t.Errorf("asked %d times: %v", asks, err)
				}
			})
		})
	}
}

func TestFirstCallWaitsForStream(t *testing.T) {
	for name, test := range map[string]struct {
		opens time.Duration // after this the server answers the GET
		sent  time.Duration // after this the call is sent
	}{
		"at once":        {0, 0},
		"after a moment": {300 * time.Millisecond, 300 * time.Millisecond},
		"never":          {time.Hour, listenTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, sent := time.Now(), []time.Duration(nil)
				c := connect(t, Server{URL: "http://shop.example/mcp"}, func(string, int) (string, error) {
					sent = append(sent, time.Since(began))
					return `{"content":[]}`, nil
				})
				c.web = &web{base: &http.Transport{}, next: &counted{network: func(int) (int, string, error) {
					select {
					case <-time.After(test.opens):
					case <-t.Context().Done():
					}
					return 405, "", nil
				}}}
				go func() { _ = c.listen(t.Context()) }()
				for range 2 {
					if _, err := c.Call(t.Context(), Tool{ServerTool: "ask"}, nil, nil); err != nil {
						t.Error(err)
					}
				}
				if want := []time.Duration{test.sent, test.sent}; !slices.Equal(sent, want) {
					t.Errorf("the calls were sent after %v, want %v", sent, want)
				}
			})
		})
	}
}

func TestShortStreamsRefetchRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConn(Server{}, &scripted{}, &elicit.Handler{})
		fetches := 0
		for range 600 { // five minutes
			c.streamOpened()
			if news := c.events.take(); news.Tools && news.Prompts && news.Resources {
				fetches++
			}
			time.Sleep(time.Second / 2)
		}
		if fetches != 5 {
			t.Errorf("the lists are fetched %d times, want once a minute", fetches)
		}
	})
}

// SSE servers choose the URL for messages, and mcp-go checks only its host.
func TestSSEKeepsTLS(t *testing.T) {
	w, err := newWeb(Server{}, &url.URL{Scheme: "https", Host: "shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]int{"http://shop.example/messages": 0, "https://shop.example/messages": 1} {
		through := &counted{network: func(int) (int, string, error) { return 200, "", nil }}
		w.next = through
		response, err := w.client().Post(place, "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		if through.n != want || (err == nil) != (want == 1) {
			t.Errorf("%s was asked %d times: %v", place, through.n, err)
		}
	}
}
