package openai

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/provider"
)

// TestParsingIsLinear parses responses of a few megabytes that would take hours in quadratic time.
func TestParsingIsLinear(t *testing.T) {
	const many = 100_000
	deep := strings.Repeat("[", 5000) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("]", 5000)
	t.Run("an error far inside", func(t *testing.T) {
		_, c := serve(t, streams(`{"error":`+deep+`}`))
		if err := second(ask(t.Context(), c, question)); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.100v", err)
		}
	})
	part := strings.Repeat(`{"type":"text","text":"abcdefghijklmnopqrstuvwxyz"},`, many)
	choice := strings.Repeat(`{"index":0,"delta":{"content":"abcdefghijklmnopqrstuvwxyz"}},`, many)
	for name, event := range map[string]string{
		"parts of a content": `{"choices":[{"index":0,"delta":{"content":[` + strings.TrimSuffix(part, ",") + `]}}]}`,
		"choices":            `{"choices":[` + strings.TrimSuffix(choice, ",") + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			var r reply
			runtime.ReadMemStats(&before)
			chunk, failure, err := r.take(sse.Event{Data: []byte(event)})
			runtime.ReadMemStats(&after)
			if err != nil || failure != nil || len(chunk.Text) != many*26 {
				t.Fatalf("%d bytes of text, %s, %v", len(chunk.Text), failure, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<30 {
				t.Errorf("%d MB of memory went by for %d MB", used>>20, len(event)>>20)
			}
		})
	}
}

// TestCallsAreBounded checks the sizes of names and ids too.
func TestCallsAreBounded(t *testing.T) {
	var c calls
	index := 0
	long := callDelta{Index: &index}
	long.Function.Name = strings.Repeat("n", 1<<20)
	for range 40 {
		c.add(long)
		long.Function.Name += "n" // a repeated name would be ignored
	}
	for i := range 1000 {
		c.add(callDelta{Index: &i, ID: callID(strings.Repeat("i", 1<<20))})
	}
	size := 0
	for _, call := range c.finished() {
		size += len(call.ID) + len(call.Name) + len(call.Arguments)
	}
	if size > provider.MaxArguments+100_000 {
		t.Errorf("%d MB of calls", size>>20)
	}
}

func TestImplausibleCountsAreZero(t *testing.T) {
	for _, count := range []string{"-5", "9223372036854775807", `"many"`, "1e300"} {
		usage := `{"choices":[],"usage":{"prompt_tokens":` + count + `,"completion_tokens":9.0}}`
		_, c := serve(t, streams(hello, usage, finished, over))
		got, err := ask(t.Context(), c, question)
		if err != nil || got.Text != "Hello" || got.Usage.PromptTokens != 0 || got.Usage.AnswerTokens != 9 {
			t.Errorf("%s: %+v, %v", count, got, err)
		}
	}
}

// TestSecretsAreNotInErrors has a server that repeats all credentials.
func TestSecretsAreNotInErrors(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		w.WriteHeader(http.StatusForbidden)
		said := []string{r.Header.Get("Authorization"), r.Header.Get("X-Team"), name, password, r.URL.Path}
		_, _ = w.Write([]byte(`{"error":"no: ` + strings.Join(said, " ") + `"}`))
	}
	s, _ := serve(t, echo)
	host := strings.TrimPrefix(s.URL, "http://")
	for name, o := range map[string]Options{
		"common prefix": {BaseURL: s.URL, Key: "secret-key", Headers: map[string]string{"x-team": "secret-key-of-docs"}},
		"user name":     {BaseURL: "http://secret-token@" + host},
		"password":      {BaseURL: "http://me:secret-word@" + host},
	} {
		c := client(t, o)
		err := second(ask(t.Context(), c, question))
		if err == nil || strings.Contains(err.Error()+c.Address(), "secret") || strings.Contains(err.Error(), "of-docs") {
			t.Errorf("%s: %v at %s", name, err, c.Address())
		}
	}
	c := client(t, Options{BaseURL: "http://127.0.0.1:9/a-long-key/v1", Secrets: []string{"a-long-key"}})
	if strings.Contains(c.Address(), "a-long-key") {
		t.Error(c.Address())
	}
}

// TestEndlessCalls checks that only complete calls can be made.
func TestEndlessCalls(t *testing.T) {
	begin := func(id, arguments string) string {
		return streamed(`{"tool_calls":[{"id":"` + id + `","function":{"name":"read","arguments":"` + arguments + `"}}]}`)
	}
	for name, test := range map[string]struct {
		first, then string
		all, whole  int
	}{
		"arguments": {begin("a", `{}`), begin("b", strings.Repeat("x", 64<<10)), 2, 1},
		"calls":     {begin("a", `{}`), begin("b%d", `{}`), provider.MaxCalls + 1, provider.MaxCalls + 1},
	} {
		t.Run(name, func(t *testing.T) {
			hungUp := make(chan bool, 1)
			_, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "data: %s\n\n", test.first)
				for n := range 1000 {
					event := test.then
					if strings.Contains(event, "%d") {
						event = fmt.Sprintf(event, n)
					}
					if _, err := fmt.Fprintf(w, "data: %s\n\n", event); err != nil {
						break
					}
				}
				http.NewResponseController(w).Flush()
				hungUp <- true
			})
			got, err := ask(t.Context(), c, withTools())
			whole := 0
			for _, call := range got.Calls {
				if !call.Cut && string(call.Arguments) == "{}" {
					whole++
				}
			}
			if err != nil || got.Reason != provider.ReasonCut || len(got.Calls) != test.all || whole != test.whole {
				t.Errorf("%d of %d calls came whole, and it ended as %q: %v", whole, len(got.Calls), got.Reason, err)
			}
			<-hungUp
		})
	}
}

func TestEndlessEvents(t *testing.T) {
	endless := strings.Repeat("x", provider.MaxLine)
	for name, handler := range map[string]http.HandlerFunc{
		"an event": streams(streamed(`{"content":"` + endless + `"}`)),
		"a whole answer": answers(200, "application/json",
			`{"choices":[{"index":0,"message":{"content":"`+endless+`"}}]}`),
	} {
		_, c := serve(t, handler)
		var e *provider.Error
		if _, err := ask(t.Context(), c, question); !errors.As(err, &e) || e.Kind != provider.KindTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An invalid header is a mistake in the configuration, not a server that cannot be reached.
func TestInvalidHeaders(t *testing.T) {
	for name, o := range map[string]Options{
		"a key of two lines": {Key: "secret-key\nsecret-key-2"},
		"a control":          {Headers: map[string]string{"X-Team": "secret\x00team"}},
		"a name with spaces": {Headers: map[string]string{"X Team": "secret-team"}},
		"no name":            {Headers: map[string]string{"": "secret-team"}},
	} {
		o.BaseURL = "http://box"
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
