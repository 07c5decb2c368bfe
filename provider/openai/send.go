package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	tries        = 3                // how often a request is made while the server says that it has no room for it just now
	longestWait  = 30 * time.Second // between all of them
	longestAsked = 24 * time.Hour   // what a server may ask for; more is taken for this
	maxBody      = 64 << 10         // how much of an error answer is read
)

// refusal is an answer that is not a success, or a web page of any status.
type refusal struct {
	status  int
	page    bool
	to      string // where the server sends the request on
	body    []byte
	text    string // the server's words
	waiting time.Duration
	asks    bool // it says how long to wait
}

func (r *refusal) Error() string { return r.text }

// send makes a request once. The error is a *refusal, a *provider.Error or that of ctx. The caller closes the body.
func (c *Client) send(ctx context.Context, method string, at *url.URL, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.headers)
	if host := c.headers.Get("Host"); host != "" {
		req.Host = host
	}
	req.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		req.Header.Set("Accept", "text/event-stream, application/json")
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, c.unreachable(err)
	case resp.StatusCode < 300 && mediaType(resp.Header) != "text/html":
		return resp, nil
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody)) // what could not be read is missing from the sentence, no more
	no := &refusal{status: resp.StatusCode, body: said, text: provider.ErrorText(said), to: resp.Header.Get("Location")}
	no.page = mediaType(resp.Header) == "text/html" || provider.IsPage(said)
	no.waiting, no.asks = retryAfter(resp.Header, time.Now())
	return nil, no
}

// patiently makes a request again while the server has no room for it, a few times and not for long. Nothing of an answer has come by then.
// busy is called before each wait, and tells whether to go on.
func (c *Client) patiently(ctx context.Context, method string, at *url.URL, body []byte, busy func() bool) (*http.Response, error) {
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		resp, err := c.send(ctx, method, at, body)
		var no *refusal
		if err == nil || !errors.As(err, &no) || !no.passes() || attempt == tries {
			return resp, err
		}
		wait := no.waiting
		if !no.asks {
			wait = time.Second << (attempt - 1)
		}
		if waited += wait; waited > longestWait {
			return resp, err
		}
		if !busy() {
			return nil, errLeft
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// passes tells a server that has no room just now from one that will go on refusing: a used quota does not come back in a minute.
func (r *refusal) passes() bool {
	switch r.status {
	case http.StatusTooManyRequests:
		said := strings.ToLower(string(r.body))
		return !strings.Contains(said, "quota") && !strings.Contains(said, "billing") && !strings.Contains(said, "credit")
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return !r.loading()
	}
	return false
}

// loading tells that llama.cpp's server brings its model into memory.
func (r *refusal) loading() bool {
	return r.status == http.StatusServiceUnavailable && strings.Contains(r.text, "Loading model")
}

// retryAfter reads how long a server wants to be left alone: seconds, or a date.
func retryAfter(h http.Header, now time.Time) (wait time.Duration, asks bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, longestAsked.Seconds()) * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), longestAsked), true
	}
	return 0, false
}

// sleep waits unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func mediaType(h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind
}

// get asks for one object and reads it into v.
func (c *Client) get(ctx context.Context, at *url.URL, v any) error {
	const most = 16 << 20 // of models: a hosted list of hundreds is about a megabyte
	resp, err := c.patiently(ctx, http.MethodGet, at, nil, func() bool { return true })
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, most))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.broken(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return c.nonsense(data, err)
	}
	return nil
}
