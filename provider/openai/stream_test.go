package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// kindOf returns the kind of a *provider.Error, -1 for another error.
func kindOf(err error) provider.Kind {
	var e *provider.Error
	if !errors.As(err, &e) {
		return -1
	}
	return e.Kind
}

func TestEvents(t *testing.T) {
	a, b := `{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`
	for name, stream := range map[string]string{
		"LF":                       "data: A\n\ndata: B\n\n",
		"CRLF":                     "data: A\r\n\r\ndata: B\r\n\r\n",
		"no space":                 "data:A\n\ndata:B\n\n",
		"no last end":              "data: A\n\ndata: B",
		"no blank lines":           "data: A\ndata: B\ndata: [DONE]\n",
		"comments":                 ": hello\n\n:\n\ndata: A\n: and\n\ndata: B\n\n",
		"other fields":             "id: 7\nretry: 10\nevent: message\ndata: A\n\nwhat\n\ndata: B\n\n",
		"CR":                       "data: A\r\rdata: B\r\r",
		"several lines of data":    "data: {\"choices\":\ndata:[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: B\n\n",
		"a byte order mark":        "\ufeffdata: A\n\ndata: B\n\n",
		"events without any data":  "event: ping\n\ndata: A\n\nevent: ping\ndata:\n\ndata: B\n\n",
		"a line longer than usual": "data: A\n\n: " + strings.Repeat("x", 100_000) + "\ndata: B\n\n",
	} {
		_, c := serve(t, answers(200, "text/event-stream", strings.NewReplacer("A", a, "B", b).Replace(stream)))
		if got, err := ask(t.Context(), c, question); err != nil || got.Text != "ab" || got.Reason != "stop" {
			t.Errorf("%s: %q, %v", name, got.Text, err)
		}
	}
}

// TestErrorsInStreams checks that an error in any form keeps its message and the text before it.
func TestErrorsInStreams(t *testing.T) {
	for _, end := range []string{
		"event: error\ndata: out of memory\n\n",
		"event: error\ndata: {\"message\":\"out of memory\"}\n\n",
		"event: error\ndata: {\"error\":\ndata: {\"message\":\"out of memory\"}}\n\n",
		"event: error\rdata: \"out of memory\"\r\r",
		"error: {\"code\":500,\"message\":\"out of memory\"}\n\n",
		"{\"error\":\"out of memory\"}\n",
		"{\n  \"error\": {\n    \"message\": \"out of memory\"\n  }\n}\n",
		"data: {\"error\":{\"message\":\"out of memory\"}}\n\n",
		`data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"out of memory"}}]}` +
			"\n\n",
		`data: {"choices":[{"index":0,"delta":{"content":" wor"},"error":{"code":502,"message":"out of memory"}}]}` + "\n\n",
	} {
		_, c := serve(t, answers(200, "text/event-stream", "data: "+hello+"\n\n"+end))
		got, err := ask(t.Context(), c, question)
		if kindOf(err) != provider.KindMemory || !strings.Contains(err.Error(), "returned an error: out of memory") {
			t.Errorf("%q: %v", end, err)
		}
		if want := strings.Contains(end, " wor"); !strings.HasPrefix(got.Text, "Hello") || want != (got.Text == "Hello wor") {
			t.Errorf("%q: the text is %q", end, got.Text)
		}
	}
}

// TestRepliesInOddForms has variants of the reply "Hello".
func TestRepliesInOddForms(t *testing.T) {
	const whole = `{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	for name, chat := range map[string]http.HandlerFunc{
		"the plain form": streams(hello, finished, counted, over),
		"no [DONE]":      streams(hello, finished, counted),
		"no count":       streams(hello, finished),
		"no reason":      streams(hello, over),
		"usage with the reason": streams(hello, `{"choices":[{"delta":{},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":7,"completion_tokens":2}}`, over),
		"null fields": streams(`{"error":null,"usage":null,"choices":[{"index":0,`+
			`"delta":{"content":"Hello","tool_calls":null},"finish_reason":null}]}`, finished, over),
		"another choice":                   streams(hello, `{"choices":[{"index":1,"delta":{"content":"a"}}]}`, over),
		"an empty error":                   streams(`{"error":"","choices":[{"delta":{"content":"Hello"}}]}`, finished, over),
		"no stream":                        answers(200, "application/json", whole),
		"no stream, called one":            answers(200, "text/event-stream", whole),
		"a stream, called JSON with lines": answers(200, "application/x-ndjson", hello+"\n"+finished+"\n"),
		"a stream, called JSON":            answers(200, "application/json", "data: "+hello+"\n\ndata: "+finished+"\n\n"),
		"no media type":                    answers(200, "", "data: "+hello+"\n\ndata: "+finished+"\n\n"),
		"noise behind the end":             streams(hello, finished, over, "{"),
		"noise behind the reason":          streams(hello, finished, "{", over),
		"text in parts": streams(streamed(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Hello"}]}`),
			finished, over),
		"content that is none": streams(`{"choices":[{"index":0,"delta":{"content":7}}]}`, hello, finished, over),
	} {
		_, c := serve(t, chat)
		got, err := ask(t.Context(), c, question)
		if err != nil || got.Text != "Hello" || !got.Done || got.Reason != "stop" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestIncompleteReplies(t *testing.T) {
	drops := func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: "+hello+"\n\n")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	breaks := func(w http.ResponseWriter, _ *http.Request) { // llama-cpp-python, if the conversation is too long
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	stream := func(body string) http.HandlerFunc { return answers(200, "text/event-stream", body) }
	for name, test := range map[string]struct {
		chat http.HandlerFunc
		kind provider.Kind
		text string
	}{
		"it just ends":          {streams(hello), provider.KindBroken, "ended early"},
		"nothing at all":        {streams(""), provider.KindBroken, "ended early"},
		"nothing and done":      {streams(over), provider.KindBroken, "ended early"},
		"cut in the middle":     {stream("data: " + hello + "\n\ndata: {\"a\":["), provider.KindBroken, "lost the connect"},
		"the connection breaks": {drops, provider.KindBroken, "lost the connection"},
		"it breaks at once":     {breaks, provider.KindBroken, "lost the connection"},
		"an empty object":       {answers(200, "application/json", ""), provider.KindBroken, "ended early"},
		"garbage":               {stream("data: \x00\xff{]\n\n"), provider.KindFailed, "cannot parse"},
		"a page":                {answers(200, "text/html", "<html>Welcome</html>"), provider.KindFailed, "web page"},
		"a page, called stream": {stream("data: <html>\n\n"), provider.KindFailed, "web page"},
		"another program":       {stream(`{"error":"Unexpected endpoint or method"}`), provider.KindFailed, "Unexpected"},
		"filtered": {streams(hello, `{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`, over),
			provider.KindFailed, "blocked by the content filter"},
		"an error without a text": {stream("data: " + hello + "\n\nevent: error\ndata:\n\ndata: [DONE]\n\n"),
			provider.KindFailed, "without a reason"},
		"an error without data": {stream("data: " + finished + "\n\nevent: error\n\ndata: [DONE]\n\n"),
			provider.KindFailed, "without a reason"},
	} {
		_, c := serve(t, test.chat)
		_, err := ask(t.Context(), c, question)
		if kindOf(err) != test.kind || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: kind %d, %v", name, kindOf(err), err)
		}
	}
	silent := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, chat := range map[string]http.HandlerFunc{"it breaks at once": breaks, "no status": silent} {
		_, c := serve(t, chat)
		_, err := ask(t.Context(), c, question)
		if e, ok := errors.AsType[*provider.Error](err); !ok || !strings.Contains(e.Hint, "exceeds their context") {
			t.Errorf("%s: %+v, want a hint about the context", name, err)
		}
	}
	_, c := serve(t, streams(`{"choices":[{"index":0,"delta":{"content":"long"},"finish_reason":"length"}]}`, over))
	if got, err := ask(t.Context(), c, question); err != nil || got.Reason != "length" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestCallsInOddForms reads testdata/calls.txt.
func TestCallsInOddForms(t *testing.T) {
	file, err := os.ReadFile("testdata/calls.txt")
	must(t, err)
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n")[1:] {
		lines := strings.Split(paragraph, "\n")
		var events []string
		for _, calls := range lines[2:] {
			events = append(events, streamed(`{"tool_calls":[`+calls+`]}`))
		}
		_, c := serve(t, streams(append(events, finished, over)...))
		got, err := ask(t.Context(), c, withTools())
		calls, want := namesAndArguments(got), strings.TrimPrefix(lines[1], "-")
		if err != nil || calls != want {
			t.Errorf("%s: %q, %v", lines[0], calls, err)
		}
	}
}

// TestPiecesOfCallsYieldEmptyChunks checks that pieces of calls yield chunks, so that the loop sees no silence.
func TestPiecesOfCallsYieldEmptyChunks(t *testing.T) {
	piece := func(text string) string {
		return streamed(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":%q}}]}`, text))
	}
	_, c := serve(t, streams(piece("{"), piece(`"a":`), piece("1}"), finished, over))
	signs := 0
	for chunk, err := range c.Chat(t.Context(), withTools()) {
		must(t, err)
		if chunk.Phase == provider.PhaseNone && chunk.Text == "" && len(chunk.Calls) == 0 && !chunk.Done {
			signs++
		}
	}
	if signs != 3 {
		t.Errorf("%d empty chunks for 3 pieces", signs)
	}
}

func TestLeavingClosesTheConnection(t *testing.T) {
	for _, how := range []string{"leaving", "cancelling", "cancelling and leaving"} {
		gone := make(chan struct{})
		_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "data: "+hello+"\n\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for _, err := range c.Chat(ctx, question) {
			last = err
			if how != "leaving" {
				cancel()
			}
			if how != "cancelling" {
				break
			}
		}
		if how == "cancelling" && !errors.Is(last, context.Canceled) || how != "cancelling" && last != nil {
			t.Errorf("%s: %v", how, last)
		}
		select {
		case <-gone:
		case <-time.After(5 * time.Minute): // only if the test fails
			t.Fatalf("%s did not close the connection", how)
		}
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	_, c := serve(t, replays(t, "vllm-answer.sse", 100))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := c.Describe(t.Context(), "m"); err != nil {
				t.Error(err)
			}
			if got, err := ask(t.Context(), c, question); err != nil || !got.Done {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	all.Wait()
}

func TestConnectionIsReused(t *testing.T) {
	s, c := serve(t, streams(hello, finished, counted, over))
	from := make(chan string, 3)
	next := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from <- r.RemoteAddr
		next.ServeHTTP(w, r)
	})
	for range 3 {
		if _, err := ask(t.Context(), c, question); err != nil {
			t.Fatal(err)
		}
	}
	if a, b, d := <-from, <-from, <-from; a != b || b != d {
		t.Errorf("three requests came from %s, %s and %s", a, b, d)
	}
}

// FuzzReply checks calls, usage and errors for any stream in pieces of any size.
func FuzzReply(f *testing.F) {
	f.Add([]byte("data: "+hello+"\n\ndata: "+finished+"\n\ndata: [DONE]\n\n"), 3)
	f.Add([]byte("event: error\r\ndata: {\"error\":{\"message\":\"x\"}}\r\n\r\n"), 1)
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"name":"f","arguments":{"a":[]}}}],`+
		`"content":[{"thinking":[{}]}]}}]}`), 7)
	f.Add([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"error"}],"timings":{"prompt_ms":1e300}}`), 2)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		c := client(t, Options{BaseURL: "http://box", Key: "a-secret-key"})
		c.through(roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&slow{stream, max(1, size)})}, nil
		}))
		got, err := ask(t.Context(), c, withTools())
		if got.Usage.Prompt < 0 || got.Usage.Answer < 0 {
			t.Errorf("%+v", got.Usage)
		}
		for _, call := range got.Calls {
			if len(call.Arguments) == 0 && !call.Cut {
				t.Errorf("%+v", call)
			}
		}
		if err != nil && (kindOf(err) < 0 || strings.ContainsAny(err.Error(), "\x1b\n\u202e") || len(err.Error()) > 4000) {
			t.Errorf("%q", err)
		}
	})
}

// slow is a reader that returns size bytes at a time.
type slow struct {
	data []byte
	size int
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.size)], s.data)
	s.data = s.data[n:]
	return n, nil
}
