package ollama

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// What servers of all ages say when the model writes a call that they cannot read, or when the process that runs it
// ends.
func TestWhatGoesWrongBetweenTheModelAndItsServer(t *testing.T) {
	for _, tt := range []struct {
		seen    string // where
		message string
		want    provider.Kind
		text    string
	}{
		{"ollama/ollama#12884", `error parsing tool call: raw='{"path":"a.go","content":"err=` + strings.Repeat("x", 5000) + `"}', err=invalid character ']' after object key:value pair`,
			provider.KindMalformed, `tool call: invalid character ']' after object key:value pair`},
		{"langchain-ai/langchain#34746", "error parsing tool call: raw='{\"a\":\"b\n', err=unexpected end of JSON input", provider.KindMalformed, "tool call: unexpected end of JSON input"},
		{"ollama/ollama#14834", "XML syntax error on line 110: unexpected EOF", provider.KindMalformed, "tool call: XML syntax error on line 110: unexpected EOF"},
		{"ollama/ollama#17276", "XML syntax error on line 3: element <parameter> closed by </function>", provider.KindMalformed, "element <parameter> closed by </function>"},
		{"ollama/ollama#12380", "XML syntax error on line 7: expected element name after <", provider.KindMalformed, "expected element name"},
		{"continuedev/continue#10896", "failed to parse XML: XML syntax error on line 1: element <tool_call> closed by </arg_value>", provider.KindMalformed, "failed to parse XML"},
		{"continuedev/continue#10896", "expected element type <function> but have <parameter>", provider.KindMalformed, "but have <parameter>"},
		{"ollama/ollama#15315", "invalid character '@' looking for beginning of object key string\nrepair failed to produce valid JSON arguments", provider.KindMalformed, "invalid character '@'"},
		{"ollama/ollama#14986", "EOF", provider.KindBroken, "exited: EOF"},
		{"ollama/ollama#14093", "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details", provider.KindBroken, "unexpectedly stopped"},
		{"ollama/ollama#14983", `Post "http://127.0.0.1:49576/completion": EOF`, provider.KindBroken, "runs the model exited"},
		{"ollama/ollama#8770", "llama runner process has terminated: exit status 2", provider.KindBroken, "exit status 2"},
		{"out of memory", "llama runner process has terminated: cudaMalloc failed: out of memory", provider.KindFailed, "out of memory"},
		{"a model too new", "llama runner process has terminated: error loading model: unknown model architecture: 'next'", provider.KindFailed, "unknown model architecture"},
		{"busy", "server busy, please try again.  maximum pending requests exceeded", provider.KindFailed, "queue of the Ollama server is full"},
	} {
		t.Run(tt.seen, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"error": tt.message})
			if err != nil {
				t.Fatal(err)
			}
			for where, handler := range map[string]http.HandlerFunc{
				"as a status": answers(500, "application/json", string(body)), "in the stream": streams(lineHello + string(body) + "\n"),
			} {
				_, err := ask(t.Context(), serve(t, handler), question)
				e := (*provider.Error)(nil)
				if !errors.As(err, &e) || e.Kind != tt.want || !strings.Contains(e.Text, tt.text) || e.Hint == "" || strings.Contains(e.Text, "xxx") {
					t.Errorf("%s: got %#v; want kind %d, %q", where, err, tt.want, tt.text)
				}
			}
		})
	}
}

// A server that refuses what aloud sent does not mean what the model wrote.
func TestARefusedRequestIsNotTheModelsMistake(t *testing.T) {
	_, err := ask(t.Context(), serve(t, answers(400, "application/json", `{"error":"invalid character 'x' looking for beginning of value"}`)), question)
	if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != provider.KindFailed {
		t.Errorf("got %#v", err)
	}
}
