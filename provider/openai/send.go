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
	longestWait = 30 * time.Second // before the next try; a server that asks for more gets no other
	askEvery    = time.Second      // how often a server that loads its model is asked whether it is ready; the caller bounds how long
)

// open makes the request, in a form that the server takes, when it is ready and has room for it. Nothing of an answer
// has come by then.
func (c *Client) open(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) (*endpoint.Stream, error) {
	for attempt, phase := 1, provider.PhaseNone; ; {
		known := c.known(req.Model)
		stream, err := c.Open(ctx, c.Base.JoinPath("chat/completions"), newRequest(req, known))
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
		wait := retryAfter(no.Header, time.Second<<(attempt-1))
		switch {
		case isLoading(no):
			if phase != provider.PhaseLoading && !yield(provider.Chunk{Phase: provider.PhaseLoading}, nil) {
				return nil, errLeft
			}
			phase, wait = provider.PhaseLoading, askEvery
		case isBusy(no) && attempt < tries && wait <= longestWait:
			if !yield(provider.Chunk{Phase: provider.PhaseBusy}, nil) {
				return nil, errLeft
			}
			attempt++
		default:
			if err := c.adapt(req, known, no); err != nil {
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
func (c *Client) adapt(req provider.Request, known habits, no *endpoint.Refusal) error {
	if c.learn(req.Model, known, no) {
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

// isBusy reports whether a server has no room just now.
func isBusy(no *endpoint.Refusal) bool {
	return no.Status == http.StatusTooManyRequests || no.Status == http.StatusBadGateway || no.Status == http.StatusServiceUnavailable
}

// isLoading reports whether llama.cpp's server brings its model into memory.
func isLoading(no *endpoint.Refusal) bool {
	return no.Status == http.StatusServiceUnavailable && strings.Contains(no.Text, "Loading model")
}

// retryAfter is how long a server wants to be left alone; it defaults to usual.
func retryAfter(h http.Header, usual time.Duration) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds >= 0) {
		return usual
	}
	const day = 24 * 60 * 60
	return time.Duration(min(seconds, day) * float64(time.Second))
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
