package openai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	tries       = 3                // how often a request is made while the server has no room for it just now
	longestWait = 30 * time.Second // between all of them
	mostAsked   = 24 * time.Hour   // what a server may ask for; more is taken for this
	askEvery    = time.Second      // how often a server that loads its model is asked whether it is ready; the caller bounds how long
)

// open makes the request, in a form that the server takes, when it is ready.
func (c *Client) open(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) (*endpoint.Stream, error) {
	loading := false
	for {
		known := c.known(req.Model)
		form := newRequest(req, known)
		var stream *endpoint.Stream
		err := c.patiently(ctx, func() (err error) {
			stream, err = c.Open(ctx, c.Base.JoinPath("chat/completions"), form)
			return err
		}, func() bool { return yield(provider.Chunk{Phase: provider.PhaseBusy}, nil) })
		if err == nil {
			if loading && !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				stream.Close()
				return nil, errLeft
			}
			return stream, nil
		}
		no, refused := errors.AsType[*endpoint.Refusal](err)
		switch {
		case !refused:
			return nil, c.reachable(err)
		case !isLoading(no):
			if err := c.adapt(req, form, known, no); err != nil {
				return nil, err
			}
			continue
		case !loading && !yield(provider.Chunk{Phase: provider.PhaseLoading}, nil):
			return nil, errLeft
		}
		loading = true
		if err := sleep(ctx, askEvery); err != nil {
			return nil, err
		}
	}
}

// adapt learns from a refusal. It returns nil when the request is worth another try, else what the refusal means.
func (c *Client) adapt(req provider.Request, form request, known habits, no *endpoint.Refusal) error {
	if c.learn(req.Model, form, known, no) {
		return nil
	}
	e := c.explain(no, askedIn(req))
	if e.Kind != provider.KindNoThinking || req.Purpose == provider.ForAnswer || known.noSwitch {
		return e
	}
	c.note(req.Model, func(h *habits) { h.noSwitch = true }) // you did not ask for it, so you need not know
	return nil
}

// patiently makes a request again while the server has no room for it, a few times and not for long. Nothing of an answer has come by then.
// busy is called before each wait, and reports whether to go on.
func (c *Client) patiently(ctx context.Context, send func() error, busy func() bool) error {
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		err := send()
		no, refused := errors.AsType[*endpoint.Refusal](err)
		if !refused || !passes(no) || attempt == tries {
			return err
		}
		wait, asks := retryAfter(no.Header)
		if !asks {
			wait = time.Second << (attempt - 1)
		}
		if waited += wait; waited > longestWait {
			return err
		}
		if !busy() {
			return errLeft
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// get asks for one object and reads it into v.
func (c *Client) get(ctx context.Context, at *url.URL, v any) error {
	var resp *http.Response
	err := c.patiently(ctx, func() (err error) {
		resp, err = c.Send(ctx, http.MethodGet, at, nil)
		return err
	}, func() bool { return true })
	if err != nil {
		return c.reachable(err)
	}
	return c.Read(ctx, resp, v)
}

// passes tells a server that has no room just now from one that will go on refusing: a used quota does not come back in a minute.
func passes(no *endpoint.Refusal) bool {
	switch no.Status {
	case http.StatusTooManyRequests:
		return !containsAny(strings.ToLower(string(no.Body)), []string{"quota", "billing", "credit"})
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return !isLoading(no)
	}
	return false
}

// isLoading reports whether llama.cpp's server brings its model into memory.
func isLoading(no *endpoint.Refusal) bool {
	return no.Status == http.StatusServiceUnavailable && strings.Contains(no.Text, "Loading model")
}

// retryAfter reads how many seconds a server wants to be left alone.
func retryAfter(h http.Header) (wait time.Duration, asks bool) {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds >= 0) {
		return 0, false
	}
	return time.Duration(min(seconds, mostAsked.Seconds()) * float64(time.Second)), true
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
