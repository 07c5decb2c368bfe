package servers

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

// forgetful is a server with sessions and the tool "buy". The test controls its responses and streams.
type forgetful struct {
	buy   func(w http.ResponseWriter, q question, nth int32)
	hears func(w http.ResponseWriter, r *http.Request)
	hints string // of its tool, a JSON object; "" means none

	bought, hellos atomic.Int32
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if f.hears == nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		f.hears(w, r)
		return
	}
	q := readQuestion(r)
	w.Header().Set("Content-Type", "application/json")
	switch q.Method {
	case "server/discover":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, q.ID)
	case "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", f.hellos.Add(1)))
		sayResult(w, q, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shop",`+
			`"version":"1"}}`)
	case "tools/list":
		sayResult(w, q, fmt.Sprintf(`{"tools":[{"name":"buy","annotations":%s}]}`, cmp.Or(f.hints, "{}")))
	case "tools/call":
		f.buy(w, q, f.bought.Add(1))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

const bought = `{"content":[{"type":"text","text":"bought"}]}`

func sayResult(w io.Writer, q question, result string) {
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
}

// TestAcceptedCallRunsOnce ends the session before the result can be fetched.
func TestAcceptedCallRunsOnce(t *testing.T) {
	// accepts the call and ends its stream, which should be resumed
	begin := func(w http.ResponseWriter, q question, nth int32) {
		if nth > 1 {
			sayResult(w, q, bought)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\nretry: 10\ndata: \n\n")
	}
	shop := &forgetful{buy: begin, hears: func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		http.Error(w, "no such session", http.StatusNotFound)
	}}
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop)})
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
	const want = `server "shop" returned no result: ` +
		`the server accepted the request and lost the session, so it may have been processed`
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	if n := shop.bought.Load(); n != 1 {
		t.Errorf("bought %d times", n)
	}
	r, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
	if n := shop.hellos.Load(); err != nil || r.Text != "bought" || n != 2 {
		t.Errorf("the next call says %q, %v, in session %d", r.Text, err, n)
	}
}

// TestForgottenSession checks that a session that the server has forgotten is replaced by one new session, and that a
// call is repeated once unless it may have changed something.
func TestForgottenSession(t *testing.T) {
	const again, harmless = `{"readOnlyHint":true}`, `{"idempotentHint":true}`
	unprocessed := func(message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":%q}}`, message)
	}
	refused := func(message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":@,"error":{"code":-32001,"message":%q}}`, message)
	}
	const lost = "the session seems to be lost, and the request may have been processed: "
	const unavailable = lost + "the server answered 503 Service Unavailable"
	const bad = lost + "the server answered 400 Bad Request: "
	for _, c := range []struct {
		hints, kind string
		status      int
		body        string
		want        string // "" means that it is bought in a second session
		sessions    int32
	}{
		// The server says that before it processes the call.
		{"", "application/json", 404, unprocessed("Session not found"), "", 2},
		{"", "text/plain", 404, "", "", 2},
		{"", "application/json", 400, unprocessed("Bad Request: No valid session ID provided"), "", 2},
		{"", "text/plain; charset=utf-8", 400, "Invalid session ID", "", 2},
		{"", "application/json", 400, `{"error":"Unknown sessionId"}`, "", 2},
		{"", "application/json", 400, unprocessed("Bad Request: Server not initialized"), "", 2},
		{"", "application/json", 410, unprocessed("Session has expired"), "", 2},
		{"", "application/json", 400, `{"code": 400, "message": "Session not found"}`, "", 2},
		{"", "text/plain", 400, "Bad Request: Missing session ID", "", 2},
		{"", "text/plain", 400, "Session ID 3f2a not found.\n", "", 2},
		{"", "application/json", 400, unprocessed("Session expired. Please initialize again."), "", 2},
		{"", "application/json", 200, unprocessed("Session not found"), "", 2},

		// The error may be that of the call.
		{again, "application/json", 200, refused("Session not found"), "", 2},
		{harmless, "application/json", 200, refused("Invalid or expired session"), "", 2},
		{again, "application/json", 400, refused("Unknown session: 3f2a"), "", 2},
		{again, "text/event-stream", 200, "data: " + refused("Session 3f2a has been terminated") + "\n\n", "", 2},
		{"", "application/json", 200, refused("Session not found"), lost + "error -32001: Session not found", 1},
		{"", "application/json", 503, refused("Session expired"), lost + "error -32001: Session expired", 1},
		{"", "text/event-stream", 200, "data: " + unprocessed("Session not found") + "\n\n",
			lost + "error -32600: Session not found", 1},
		{"", "application/json", 200, unprocessed("Session terminated"), lost + "error -32600: Session terminated", 1},
		{"", "application/json", 200, unprocessed("Session closed"), lost + "error -32600: Session closed", 1},
		{"", "application/json", 200, unprocessed("Session has ended"), lost + "error -32600: Session has ended", 1},
		{"", "application/json", 200, unprocessed("Session expired"), lost + "error -32600: Session expired", 1},

		// A proxy may have forwarded the call, or the text is not clear.
		{"", "application/json", 503, `{"detail":"upstream reset before headers","session_id":"7f3a"}`, unavailable, 1},
		{"", "application/json", 503, `{"detail":"Session not found"}`, unavailable, 1},
		{"", "text/plain", 503, "backend crashed, session terminated",
			unavailable + ": backend crashed, session terminated", 1},
		{again, "application/json", 503, `{"detail":"Session not found"}`, "", 2},
		{"", "text/plain", 400, "payment refused: session_id is required",
			bad + "payment refused: session_id is required", 1},
		{"", "text/plain", 400, "payment refused: invalid session", bad + "payment refused: invalid session", 1},
		{"", "text/plain", 400, "payment error: invalid session", bad + "payment error: invalid session", 1},
		{"", "application/json", 400, `{"paid":true,"warning":"no valid session ID"}`,
			lost + "the server answered 400 Bad Request", 1},
		{"", "text/plain", 400, "Session expired. The card was charged", bad + "Session expired. The card was charged", 1},
		{"", "text/plain", 400, "session expired while the card was charged",
			bad + "session expired while the card was charged", 1},
		{"", "application/json", 400, unprocessed("checkout session ID 5 was charged, but the receipt failed"),
			lost + "error -32600: checkout session ID 5 was charged, but the receipt failed", 1},
		{"", "text/plain", 410, "session terminated", lost + "the server answered 410 Gone: session terminated", 1},

		// Something else is wrong.
		{again, "application/json", 200, refused("browser session not found"),
			"error -32001: browser session not found", 1},
		{again, "application/json", 200, refused("session_id is required"), "error -32001: session_id is required", 1},
		{"", "text/plain", 503, "overloaded", "the server answered 503 Service Unavailable: overloaded", 1},
		{"", "text/html", 503, "<p>Your session id is 7</p>", "the server answered 503 Service Unavailable", 1},
	} {
		shop := &forgetful{hints: c.hints, buy: func(w http.ResponseWriter, q question, nth int32) {
			if nth > 1 {
				sayResult(w, q, bought)
				return
			}
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, strings.ReplaceAll(c.body, "@", string(q.ID)))
		}}
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop), Trusted: true})
		result, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
		n, sessions := shop.bought.Load(), shop.hellos.Load()
		switch {
		case sessions != c.sessions || n != sessions:
			t.Errorf("%d %s: %d calls in %d sessions, %v", c.status, c.body, n, sessions, err)
		case c.want == "" && (err != nil || result.Text != "bought"):
			t.Errorf("%d %s: %+v, %v", c.status, c.body, result, err)
		case c.want != "" && (err == nil || err.Error() != `server "shop" returned no result: `+c.want):
			t.Errorf("%d %s: %+v, %v", c.status, c.body, result, err)
		case strings.HasPrefix(c.want, lost):
			result, err = set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
			if sessions = shop.hellos.Load(); err != nil || result.Text != "bought" || sessions != 2 {
				t.Errorf("%d %s: then %+v, %v in session %d", c.status, c.body, result, err, sessions)
			}
		}
	}
}

// TestHintsOfUntrustedServerRepeatNoCall checks that a call is not repeated because an untrusted server says that it
// changes nothing.
func TestHintsOfUntrustedServerRepeatNoCall(t *testing.T) {
	shop := &forgetful{hints: `{"readOnlyHint":true}`, buy: func(w http.ResponseWriter, q question, _ int32) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, q.ID)
	}}
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop)})
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
	if n := shop.bought.Load(); err == nil || n != 1 {
		t.Errorf("%v after %d calls", err, n)
	}
}

// TestRefusedCalls checks that only calls that were not processed are repeated.
func TestRefusedCalls(t *testing.T) {
	wrong := func(code int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, text)
	}
	for _, c := range []struct {
		status     int
		body, want string // want "" means that it is bought at the second attempt
	}{
		{500, wrong(-32603, "the database session was rolled back"), "error -32603: the database session was rolled back"},
		{500, wrong(-32603, "Session not found"), "error -32603: Session not found"},
		{400, wrong(-32603, "no database session for this table"), "error -32603: no database session for this table"},
		{500, `{"message":"Internal server error"}`, "the server answered 500 Internal Server Error"},
		{500, `{"error":null}`, "the server answered 500 Internal Server Error"},
		{500, `{}`, "the server answered 500 Internal Server Error"},
		// common libraries use 400 instead of 404
		{400, wrong(-32000, "Bad Request: No valid session ID provided"), ""},
		{400, wrong(-32000, "Session not found"), ""},
		{400, wrong(-32000, "Bad Request: Mcp-Session-Id header is required"), ""},
		{400, wrong(-32000, "Invalid or expired session"), ""},
	} {
		shop := &forgetful{buy: func(w http.ResponseWriter, q question, nth int32) {
			if nth > 1 {
				sayResult(w, q, bought)
				return
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}}
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop)})
		result, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
		switch n := shop.bought.Load(); {
		case c.want == "" && (err != nil || result.Text != "bought" || n != 2):
			t.Errorf("%s: %+v, %v after %d calls", c.body, result, err, n)
		case c.want != "" && (err == nil || err.Error() != `server "shop" returned no result: `+c.want || n != 1):
			t.Errorf("%s: %+v, %v after %d calls", c.body, result, err, n)
		}
	}
}
