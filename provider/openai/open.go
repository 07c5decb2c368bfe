package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	maxAttempts     = 3                // requests to a busy server
	maxWait         = 30 * time.Second // between these; if a server asks for a longer pause, no request follows
	loadingInterval = time.Second      // between requests to a server that loads its model; the caller limits the total
)

// open sends the request. It retries while the server loads its model or is busy, and without the parts of the request
// that the server does not support.
func (c *Client) open(
	ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool,
) (*endpoint.Stream, error) {
	var leftOut refusals
	for attempt, loading := 1, false; ; {
		known := c.habitsOf(req.Model)
		known.refusedTools = slices.Concat(known.refusedTools, leftOut.tools)
		tools := c.tools.Encode(known.offered(req.Tools), encodeTool)
		stream, err := c.Open(ctx, c.Base.JoinPath("chat/completions"), newRequest(req, tools, known))
		if err == nil {
			if !c.opened(req.Model, loading, leftOut, yield) {
				stream.Close()
				return nil, errLeft
			}
			return stream, nil
		}
		refusal, refused := errors.AsType[*endpoint.Refusal](err)
		if !refused {
			return nil, err
		}
		phase, wait := provider.PhaseNone, retryAfter(refusal.Header, time.Second<<(attempt-1))
		switch {
		// llama.cpp
		case refusal.Status == http.StatusServiceUnavailable && strings.Contains(refusal.Text, "Loading model"):
			if !loading {
				phase = provider.PhaseLoading
			}
			loading, wait = true, loadingInterval
		case isBusy(refusal) && attempt < maxAttempts && wait <= maxWait:
			phase = provider.PhaseBusy
			attempt++
		case leftOut.add(c, req, known, refusal):
			wait = 0
		default:
			if err := c.adapt(req, known, refusal); err != nil {
				return nil, err
			}
			wait = 0
		}
		if phase != provider.PhaseNone && !yield(provider.Chunk{Phase: phase}, nil) {
			return nil, errLeft
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// opened notes that the server accepted a request without the refused tools, and yields the notices about them. loading
// means that the server loaded its model before. It returns false if the caller has left the loop.
func (c *Client) opened(
	model string, loading bool, refused refusals, yield func(provider.Chunk, error) bool,
) bool {
	if len(refused.lasting) > 0 {
		c.learn(model, func(h *habits) { h.refusedTools = slices.Concat(h.refusedTools, refused.lasting) })
	}
	for _, notice := range refused.notices {
		if !yield(provider.Chunk{Notice: notice}, nil) {
			return false
		}
	}
	return !loading || yield(provider.Chunk{Phase: provider.PhaseReading}, nil)
}

func isBusy(refusal *endpoint.Refusal) bool {
	busy := []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable}
	return slices.Contains(busy, refusal.Status)
}

// retryAfter returns the pause that a server asks for, or else the default.
func retryAfter(h http.Header, byDefault time.Duration) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds >= 0) {
		return byDefault
	}
	const day = 24 * 60 * 60
	return time.Duration(min(seconds, day) * float64(time.Second))
}
