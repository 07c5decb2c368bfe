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

// open makes the request, in a form that the server takes, when it is ready and has room for it. Nothing of an answer
// has come by then.
func (c *Client) open(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) (*endpoint.Stream, error) {
	var waited time.Duration
	for attempt, phase := 1, provider.PhaseNone; ; {
		known := c.known(req.Model)
		form := newRequest(req, known)
		stream, err := c.Open(ctx, c.Base.JoinPath("chat/completions"), form)
		if err == nil {
			if phase == provider.PhaseLoading && !yield(provider.Chunk{Phase: provider.PhaseReading}, nil) {
				stream.Close()
				return nil, errLeft
			}
			return stream, nil
		}
		no, refused := errors.AsType[*endpoint.Refusal](err)
		if !refused {
			return nil, c.reachable(err)
		}
		wait, asks := retryAfter(no.Header)
		if !asks {
			wait = time.Second << (attempt - 1)
		}
		switch {
		case isLoading(no):
			if phase != provider.PhaseLoading && !yield(provider.Chunk{Phase: provider.PhaseLoading}, nil) {
				return nil, errLeft
			}
			phase, wait = provider.PhaseLoading, askEvery
		case passes(no) && attempt < tries && waited+wait <= longestWait:
			if !yield(provider.Chunk{Phase: provider.PhaseBusy}, nil) {
				return nil, errLeft
			}
			attempt, waited = attempt+1, waited+wait
		default:
			if err := c.adapt(req, form, known, no); err != nil {
				return nil, err
			}
			wait = 0
		}
		if err := sleep(ctx, wait); err != nil {
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

// get asks for one object and reads it into v.
func (c *Client) get(ctx context.Context, at *url.URL, v any) error {
	resp, err := c.Send(ctx, http.MethodGet, at, nil)
	if err != nil {
		return c.reachable(err)
	}
	return c.Read(ctx, resp, v)
}

// passes tells a server that has no room just now from one that will go on refusing: a used quota does not come back
// in a minute.
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

// retryAfter reads after how many seconds a server wants to be asked again.
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
