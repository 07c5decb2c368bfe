package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// old is a server over SSE. It responds on the stream of the newest GET, after begin.
type old struct {
	begin string
	says  chan string
	asks  []string                                  // requests to send before each response
	call  func(m mcptest.Message, say func(string)) // replaces the response to a call; nil responds
}

// usual is the usual first event of SSE.
const usual = "event: endpoint\ndata: /answers\n\n"

func (o *old) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		o.talk(w, r)
		return
	}
	m := mcptest.Read(r.Body)
	say := func(said string) {
		select {
		case o.says <- said:
		case <-r.Context().Done():
		}
	}
	response := m.Usual()
	switch {
	case m.Method == "tools/call" && o.call != nil:
		o.call(m, say)
	case response != "":
		for _, question := range o.asks {
			say(question)
		}
		say(response)
	}
	w.WriteHeader(http.StatusAccepted)
}

// talk has the messages to stream; "" ends the stream.
func (o *old) talk(w http.ResponseWriter, r *http.Request) {
	if o.begin == "204" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, o.begin)
	for o.begin != "" {
		_ = http.NewResponseController(w).Flush()
		select {
		case said := <-o.says:
			if said == "" {
				return
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", said)
		case <-r.Context().Done():
			return
		}
	}
}

func TestOldServersThatMisbehave(t *testing.T) {
	for name, test := range map[string]struct {
		old   old
		board string // its error; "" means that it is ready
		call  string
	}{
		"fine":        {old{begin: usual}, "", "fine"},
		"no stream":   {old{}, "the server closed the connection without a response", ""},
		"no content":  {old{begin: "204"}, "the response is not valid MCP", ""},
		"no endpoint": {old{begin: ": hello\n\n"}, "not ready within 300ms. startup_timeout_sec sets the limit", ""},
		"endpoint away": {old{begin: "event: endpoint\ndata: http://elsewhere.example/answers\n\n"},
			`the server asks for messages at another host, "elsewhere.example"`, ""},
		"endpoint odd": {old{begin: "event: endpoint\ndata: http://[::1\n\n"},
			"the server chose an invalid address for messages", ""},
		"endpoint twice": {old{begin: usual + usual}, "", "fine"},
		"junk": {old{begin: usual +
			"data: {{{\n\ndata: 7\n\ndata: []\n\nevent: odd\ndata: {\"id\":1,\"method\":7}\n\n"}, "", "fine"},
		"stream ends": {old{begin: usual, call: func(_ mcptest.Message, say func(string)) { say("") }}, "",
			`server "old" disconnected during the call (the connection was lost). The next call restarts it`},
		"stream ends before it accepts": {old{begin: usual, call: func(_ mcptest.Message, say func(string)) {
			for range 12 { // the last one waits for the end of the request
				say("")
			}
		}}, "", `server "old" disconnected during the call (the connection was lost). The next call restarts it`},
		"says nothing": {old{begin: usual, call: func(mcptest.Message, func(string)) {}}, "",
			`tool "old__use" sent no result and no progress for 1s. tool_timeout_sec sets the limit`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.old.says = make(chan string, 10)
			config := mcpclient.Server{Name: "old", URL: serveHTTP(t, &test.old), Transport: "sse"}
			if test.board != "" {
				config.StartupTimeout = 300 * time.Millisecond
			}
			if name == "says nothing" {
				config.ToolTimeout = time.Second
			}
			set, board := readyWith(t, Options{Host: &ada{}}, config)
			s := board.Servers()[0]
			if test.board != "" {
				if s.State != mcpclient.ServerFailed || !strings.HasSuffix(s.Detail, test.board) {
					t.Errorf("the board says %s: %s", s.State, s.Detail)
				}
				return
			}
			r, err := set.Call(t.Context(), mcpclient.Call{Tool: "old__use"}, nil)
			if err != nil {
				r.Text = err.Error()
			}
			if r.Text != test.call {
				t.Errorf("the call says %s", r.Text)
			}
		})
	}
}

// TestOldServerReusesIDs checks that requests with the ids of our own requests are not treated as responses.
func TestOldServerReusesIDs(t *testing.T) {
	s := &old{begin: usual, says: make(chan string, 10)}
	for id := range 5 {
		s.asks = append(s.asks, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
	}
	set, _ := ready(t, mcpclient.Server{Name: "old", URL: serveHTTP(t, s), Transport: "sse"})
	if got := call(t, set, "old__use", "").Text; got != "fine" {
		t.Errorf("the server says %q", got)
	}
}

// TestFormOverOldTransport checks that a server may ask for input during a call.
func TestFormOverOldTransport(t *testing.T) {
	accepted := make(chan struct{}, 1)
	s := &old{begin: usual, says: make(chan string, 10), call: func(m mcptest.Message, say func(string)) {
		say(`{"jsonrpc":"2.0","id":"form","method":"elicitation/create","params":{"message":"Size?",` +
			`"requestedSchema":{"type":"object","properties":{"size":{"type":"string"}}}}}`)
		<-accepted
		say(m.Text("done"))
	}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"id":"form","result":{"action":"accept"`)) {
			accepted <- struct{}{}
		}
		s.ServeHTTP(w, r)
	})
	host := person{elicit: func(context.Context, elicit.Elicitation) (elicit.Response, error) {
		return elicit.Response{Action: elicit.Accept, Content: map[string]any{"size": "XL"}}, nil
	}}
	config := mcpclient.Server{Name: "old", URL: serveHTTP(t, handler), Transport: "sse"}
	set, _ := readyWith(t, Options{Host: host}, config)
	if got := call(t, set, "old__use", "").Text; got != "done" {
		t.Errorf("the server says %q", got)
	}
}
