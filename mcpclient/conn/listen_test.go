package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// transport responds to requests.
type transport func(r *http.Request) (status int, body string, err error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body, err := t(r)
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

// network responds to the n-th request, from 1.
type network func(n int) (status int, body string, err error)

// listenFor runs listen for a time, and returns the number of requests.
func listenFor(t *testing.T, d time.Duration, n network) (asks int, err error) {
	t.Helper()
	to := mcpclient.Server{URL: "http://shop.example/mcp"}
	w, err := newWeb(to, &url.URL{Scheme: "http", Host: "shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	w.next = transport(func(*http.Request) (int, string, error) {
		asks++
		return n(asks)
	})
	c := newConn(to, &elicit.Handler{})
	c.web = w
	c.revision.Store(mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	err = c.listen(ctx)
	return asks, err
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
				c := newConn(mcpclient.Server{URL: "http://shop.example/mcp"}, &elicit.Handler{})
				c.web = &web{next: transport(func(r *http.Request) (int, string, error) {
					if r.Method == http.MethodPost {
						sent = append(sent, time.Since(began))
						return 200, fmt.Sprintf(`data: {"id":%d,"result":{"content":[]}}`, len(sent)), nil
					}
					select {
					case <-time.After(test.opens):
					case <-r.Context().Done():
					}
					return 405, "", nil
				})}
				go func() { _ = c.listen(t.Context()) }()
				for range 2 {
					if _, err := c.Call(t.Context(), mcpclient.Tool{ServerTool: "ask"}, nil, "", nil); err != nil {
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
		c := newConn(mcpclient.Server{}, &elicit.Handler{})
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

func TestMessageAddress(t *testing.T) {
	for given, want := range map[string]string{
		"/messages?id=1": "https://shop.example/messages?id=1", "https://shop.example/m": "https://shop.example/m",
		"http://shop.example/m": "", "//elsewhere.example/m": "", "http://[::1": "",
	} {
		if got, err := messageAddress("https://shop.example/sse", given); got != want || (err == nil) != (want != "") {
			t.Errorf("%s gives %q, %v", given, got, err)
		}
	}
}
