package openai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// TestAnswerWithoutEndMark checks that a reply with a token count at its end is taken after one request, and that the
// first one comes with a notice.
func TestAnswerWithoutEndMark(t *testing.T) {
	call := streamed(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"read_weather","arguments":"{}"}}]}`)
	both := `{"choices":[{"index":0,"delta":{"content":"lo"}}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	whole := `{"choices":[{"message":{"content":"Hello"}}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	for name, test := range map[string]struct {
		events []string
		text   string
		calls  int
	}{
		"the count alone":         {[]string{hello, counted}, "Hello", 0},
		"the count with the text": {[]string{streamed(`{"content":"Hel"}`), both}, "Hello", 0},
		"no stream":               {[]string{whole}, "Hello", 0},
		"a call":                  {[]string{call, counted}, "", 1},
	} {
		s, c := serve(t, streams(test.events...))
		var notices []string
		for range 2 {
			text, calls, done := "", 0, false
			for chunk, err := range c.Chat(t.Context(), withTools()) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				text, calls, done = text+chunk.Text, calls+len(chunk.Calls), done || chunk.Done && chunk.Reason == "stop"
				if chunk.Notice != "" {
					notices = append(notices, chunk.Notice)
				}
			}
			if text != test.text || calls != test.calls || !done {
				t.Errorf("%s: %q and %d calls, done %v", name, text, calls, done)
			}
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "does not mark the end") || len(s.requests()) != 2 {
			t.Errorf("%s: the notices are %q after %d requests", name, notices, len(s.requests()))
		}
	}
}

// TestAnswerEndsWithoutReason checks that an answer that may be cut off comes with a notice: once from a server that
// never gives a reason, and each time from one that usually does.
func TestAnswerEndsWithoutReason(t *testing.T) {
	cut, whole := streams(hello, over), streams(hello, finished, over)
	for name, test := range map[string]struct {
		replies []http.HandlerFunc
		notices int
	}{
		"never a reason":   {[]http.HandlerFunc{cut, cut}, 1},
		"always a reason":  {[]http.HandlerFunc{whole, whole}, 0},
		"usually a reason": {[]http.HandlerFunc{whole, cut, cut}, 2},
	} {
		_, c := serve(t, test.replies...)
		notices := 0
		for range test.replies {
			for chunk, err := range c.Chat(t.Context(), question) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if strings.Contains(chunk.Notice, "may be cut off") {
					notices++
				}
			}
		}
		if notices != test.notices {
			t.Errorf("%s: %d notices, want %d", name, notices, test.notices)
		}
	}
	call := streamed(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"read_weather","arguments":"{\"city\":"}}]}`)
	_, c := serve(t, streams(call, over))
	if _, err := ask(t.Context(), c, withTools()); kindOf(err) != provider.KindBroken {
		t.Errorf("half a call: %v", err)
	}
}

// TestBrokenAnswerWithCount checks that a token count does not make an incomplete reply complete.
func TestBrokenAnswerWithCount(t *testing.T) {
	counting := `{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
	call := streamed(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"read_weather","arguments":"{\"city\":"}}]}`)
	for name, events := range map[string][]string{
		"a count in every piece":    {counting, counting, counting},
		"a count before the text":   {counted, hello},
		"a count of nothing":        {hello, `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`},
		"a count without an answer": {counted},
		"half a call":               {call, counted},
	} {
		_, c := serve(t, streams(events...))
		if _, err := ask(t.Context(), c, withTools()); kindOf(err) != provider.KindBroken {
			t.Errorf("%s: %v", name, err)
		}
	}
}
