package openai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// namesAndArguments returns the calls of a reply as one line.
func namesAndArguments(reply provider.Chunk) string {
	var calls []string
	for _, call := range reply.Calls {
		calls = append(calls, call.Name+strings.TrimRight(string(call.Arguments), "\n"))
	}
	return strings.Join(calls, " ")
}

// TestCallsWithoutIndexStayApart checks that calls that differ only in their ids are not joined or dropped.
func TestCallsWithoutIndexStayApart(t *testing.T) {
	for want, calls := range map[string]string{
		`roll roll`: `{"id":"a","function":{"name":"roll","arguments":""}},` +
			`{"id":"b","function":{"name":"roll","arguments":""}}`,
		`list{"path":"x"} list`: `{"id":"a","function":{"name":"list","arguments":"{\"path\":\"x\"}"}},` +
			`{"id":"b","function":{"name":"list","arguments":""}}`,
		`list{"path": list{"path":"x"}`: `{"id":"a","function":{"name":"list","arguments":"{\"path\":"}},` +
			`{"id":"b","function":{"name":"list","arguments":"{\"path\":\"x\"}"}}`,
	} {
		calls = `{"tool_calls":[` + calls + `]}`
		for form, chat := range map[string]http.HandlerFunc{
			"a stream": streams(streamed(calls), finished, over),
			"whole":    answers(200, "application/json", `{"choices":[{"message":`+calls+`,"finish_reason":"stop"}]}`),
		} {
			_, c := serve(t, chat)
			if got, err := ask(t.Context(), c, withTools()); err != nil || namesAndArguments(got) != want {
				t.Errorf("%s: %s, %v, want %s", form, namesAndArguments(got), err, want)
			}
		}
	}
}

// TestCallsOfAWholeReplyStayApart checks that equal calls are not joined.
func TestCallsOfAWholeReplyStayApart(t *testing.T) {
	for want, calls := range map[string]string{
		`roll roll`:  `{"function":{"name":"roll"}},{"function":{"name":"roll"}}`,
		`roll roll{`: `{"index":0,"function":{"name":"roll"}},{"index":0,"function":{"name":"roll","arguments":"{"}}`,
		`f{} f{}`:    `{"id":"a","function":{"name":"f","arguments":{}}},{"id":"a","function":{"name":"f","arguments":"{}"}}`,
	} {
		_, c := serve(t, answers(200, "application/json",
			`{"choices":[{"message":{"tool_calls":[`+calls+`]},"finish_reason":"stop"}]}`))
		got, err := ask(t.Context(), c, withTools())
		if err != nil || namesAndArguments(got) != want {
			t.Fatalf("%s, %v, want %s", namesAndArguments(got), err, want)
		}
	}
}
