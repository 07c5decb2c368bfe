package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// busy is a transport that returns the refusals one after the other, and then the reply "Hello".
type busy struct {
	refusals []*http.Response
	asked    []time.Time
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	b.asked = append(b.asked, time.Now())
	if n := len(b.asked) - 1; n < len(b.refusals) {
		return b.refusals[n], nil
	}
	return answer(200, "", "data: "+hello+"\n\ndata: "+finished+"\n\ndata: [DONE]\n\n"), nil
}

func answer(status int, retryAfter, body string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	if retryAfter != "" {
		resp.Header.Set("Retry-After", retryAfter)
	}
	return resp
}

// withBusy runs test with a client of such a server in fake time.
func withBusy(t *testing.T, refusals []*http.Response, test func(t *testing.T, b *busy, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{refusals: refusals}
		c, err := New(Options{BaseURL: "http://box"})
		must(t, err)
		c.through(b)
		test(t, b, c)
	})
}

func TestRetryAfter(t *testing.T) {
	for name, test := range map[string]struct {
		refusals []*http.Response
		wait     time.Duration // in all
	}{
		"seconds":          {[]*http.Response{answer(429, "7", `{"error":"Rate limit reached"}`)}, 7 * time.Second},
		"half a second":    {[]*http.Response{answer(429, "0.5", "")}, 500 * time.Millisecond},
		"no word":          {[]*http.Response{answer(502, "", ""), answer(503, "soon", "")}, 3 * time.Second},
		"two in half each": {[]*http.Response{answer(429, "15", ""), answer(429, "15", "")}, 30 * time.Second},
	} {
		withBusy(t, test.refusals, func(t *testing.T, b *busy, c *Client) {
			began := time.Now()
			got, err := ask(t.Context(), c, question)
			if err != nil || got.Text != "Hello" || time.Since(began) != test.wait {
				t.Errorf("%s: %q after %v, %v; want %v", name, got.Text, time.Since(began), err, test.wait)
			}
		})
	}
}

func TestLeavingEndsRetries(t *testing.T) {
	withBusy(t, []*http.Response{answer(503, "5", "")}, func(t *testing.T, b *busy, c *Client) {
		for chunk, err := range c.Chat(t.Context(), question) {
			if err != nil || chunk.Phase != provider.PhaseBusy {
				t.Errorf("%+v, %v", chunk, err)
			}
			break
		}
		if len(b.asked) != 1 {
			t.Errorf("%d requests after the caller left", len(b.asked))
		}
	})
}

func TestRetriesAreLimited(t *testing.T) {
	always := func(retryAfter string) (all []*http.Response) {
		for range 10 {
			all = append(all, answer(429, retryAfter, `{"error":{"message":"Rate limit reached"}}`))
		}
		return all
	}
	for name, test := range map[string]struct {
		refusals []*http.Response
		asked    int
		hint     string
	}{
		"again and again": {always("1"), 3, "try again in a moment"},
		"far too long":    {always("3600"), 1, "try again in 1h0m0s"},
		"a failure":       {[]*http.Response{answer(500, "1", "")}, 1, ""},
	} {
		withBusy(t, test.refusals, func(t *testing.T, b *busy, c *Client) {
			_, err := ask(t.Context(), c, question)
			var e *provider.Error
			if !errors.As(err, &e) || len(b.asked) != test.asked || !strings.Contains(e.Hint, test.hint) {
				t.Errorf("%s: asked %d times, want %d: %v, %+v", name, len(b.asked), test.asked, err, e)
			}
		})
	}
}

func TestCancelEndsRetries(t *testing.T) {
	withBusy(t, []*http.Response{answer(429, "20", "")}, func(t *testing.T, _ *busy, c *Client) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := ask(ctx, c, question); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestLoadingModel checks that the phase is yielded only if llama.cpp's server reports it.
func TestLoadingModel(t *testing.T) {
	loading := func() *http.Response {
		return answer(503, "", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
	}
	withBusy(t, []*http.Response{loading(), loading(), loading(), loading()}, func(t *testing.T, _ *busy, c *Client) {
		began := time.Now()
		var phases []provider.ChunkPhase
		text := ""
		for chunk, err := range c.Chat(t.Context(), question) {
			must(t, err)
			if chunk.Phase != provider.PhaseNone {
				phases = append(phases, chunk.Phase)
			}
			text += chunk.Text
		}
		want := []provider.ChunkPhase{provider.PhaseLoading, provider.PhaseReading}
		if !slices.Equal(phases, want) || text != "Hello" || time.Since(began) != 4*time.Second {
			t.Errorf("%v, %q after %v", phases, text, time.Since(began))
		}
	})
	withBusy(t, nil, func(t *testing.T, _ *busy, c *Client) {
		for chunk, err := range c.Chat(t.Context(), question) {
			must(t, err)
			if chunk.Phase != provider.PhaseNone {
				t.Errorf("got the phase %d", chunk.Phase)
			}
		}
	})
}

func TestNoRetryAfterText(t *testing.T) {
	s, c := serve(t, streams(hello, `{"error":{"message":"Service unavailable","code":503}}`))
	if got, err := ask(t.Context(), c, question); err == nil || got.Text != "Hello" || len(s.requests()) != 1 {
		t.Errorf("%+v, %v, %d requests", got, err, len(s.requests()))
	}
}

// TestStreamThatStaysOpen checks that a reply with a finish reason counts.
func TestStreamThatStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Options{BaseURL: "http://box"})
		must(t, err)
		c.through(roundTripper(func(r *http.Request) (*http.Response, error) {
			reader, writer := io.Pipe()
			context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
			go io.WriteString(writer, "data: "+hello+"\n\ndata: "+finished+"\n\n")
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: reader}, nil
		}))
		began := time.Now()
		got, err := ask(t.Context(), c, question)
		if err != nil || !got.Done || got.Text != "Hello" || time.Since(began) != endTimeout {
			t.Errorf("%+v, %v after %v", got, err, time.Since(began))
		}
	})
}
