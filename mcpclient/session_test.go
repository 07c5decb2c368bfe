package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
)

// forgetful is a server with sessions and the tool "buy". The test controls its responses and streams.
type forgetful struct {
	buy   func(w http.ResponseWriter, q question, nth int32)
	hears func(w http.ResponseWriter, r *http.Request)

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
		sayResult(w, q, `{"tools":[{"name":"buy","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		f.buy(w, q, f.bought.Add(1))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func sayResult(w io.Writer, q question, result string) {
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
}

// TestAcceptedCallRunsOnce ends the session before the result can be fetched.
func TestAcceptedCallRunsOnce(t *testing.T) {
	// accepts the call and ends its stream, which should be resumed
	begin := func(w http.ResponseWriter, _ question, _ int32) {
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
	place := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if shop.bought.Load() > 0 && r.Header.Get("Mcp-Session-Id") == "" {
			t.Error("a request without the session, so the server cannot say that it is lost")
		}
		shop.ServeHTTP(w, r)
	}))
	set, _ := ready(t, Server{Name: "shop", URL: place})
	_, err := set.Call(t.Context(), Call{Tool: "shop__buy"}, nil)
	const want = `server "shop" returned no result: ` +
		`the server accepted the request and lost the session, so it may have been processed`
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	if n := shop.bought.Load(); n != 1 {
		t.Errorf("bought %d times", n)
	}
	_, _ = set.Call(t.Context(), Call{Tool: "shop__buy"}, nil)
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
				sayResult(w, q, `{"content":[{"type":"text","text":"bought"}]}`)
				return
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}}
		set, _ := ready(t, Server{Name: "shop", URL: serveHTTP(t, shop)})
		result, err := set.Call(t.Context(), Call{Tool: "shop__buy"}, nil)
		switch n := shop.bought.Load(); {
		case c.want == "" && (err != nil || result.Text != "bought" || n != 2):
			t.Errorf("%s: %+v, %v after %d calls", c.body, result, err, n)
		case c.want != "" && (err == nil || err.Error() != `server "shop" returned no result: `+c.want || n != 1):
			t.Errorf("%s: %+v, %v after %d calls", c.body, result, err, n)
		}
	}
}
