package badserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A visit is one request over HTTP, and the message in it.
type visit struct {
	http.ResponseWriter
	r *http.Request
	q question
}

// Handler returns the mode as a server over streamable HTTP, without state between requests.
func Handler(mode Mode) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := visit{w, r, question{}}
		body, _ := io.ReadAll(io.LimitReader(r.Body, 64<<20))
		_ = json.Unmarshal(body, &v.q) // invalid input becomes a message without a method
		v.q.secret = r.Header.Get(SecretHeader)
		point := v.q.Method
		if r.Method != http.MethodPost {
			point = r.Method
		}
		do, ok := mode.serve[point]
		if !ok {
			do, ok = mode.serve[""]
		}
		if ok && do(v) {
			return
		}
		mode.visited(v)
	})
}

// visited handles a request as the mode requires.
func (m Mode) visited(v visit) {
	switch {
	case v.r.Method != http.MethodPost:
		v.WriteHeader(http.StatusMethodNotAllowed)
	case !v.q.isRequest():
		v.WriteHeader(http.StatusAccepted)
	case v.q.Method == callTool && m.before != nil:
		v.stream()
		m.before(v.q, v.event)
		for _, message := range m.answers(v.q) {
			v.event(message)
		}
	default:
		v.Header().Set("Content-Type", "application/json")
		for _, message := range m.answers(v.q) {
			_, _ = io.WriteString(v, message)
		}
	}
}

// stream starts a response with events.
func (v visit) stream() { v.Header().Set("Content-Type", "text/event-stream") }

// event writes one event. It reports false if the client is gone.
func (v visit) event(message string) bool {
	_, err := fmt.Fprintf(v, "event: message\ndata: %s\n\n", strings.ReplaceAll(message, "\n", "\ndata: "))
	return err == nil && v.r.Context().Err() == nil
}

// send flushes the response.
func (v visit) send() {
	_ = http.NewResponseController(v.ResponseWriter).Flush() // reported elsewhere if the client is gone
}

// wait blocks until the client cancels.
func (v visit) wait() { <-v.r.Context().Done() }
