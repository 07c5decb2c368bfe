package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
)

// forgetful is a server with the tool "buy" that keeps sessions. What it answers to a call, and to who listens, is a test's.
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
		sayResult(w, q, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`)
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

// beginStream takes a call in, and ends its stream before the answer: it shall be resumed.
func beginStream(w http.ResponseWriter, _ question, _ int32) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "id: 1\nretry: 10\ndata: \n\n")
}

// TestACallThatWasTakenInRunsOnce though the session ends before its result can be fetched.
func TestACallThatWasTakenInRunsOnce(t *testing.T) {
	shop := &forgetful{buy: beginStream, hears: func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		http.Error(w, "no such session", http.StatusNotFound)
	}}
	set, _ := ready(t, Server{Name: "shop", URL: serveHTTP(t, shop)})
	_, err := set.Call(t.Context(), "shop__buy", nil, nil)
	const want = `the server "shop" gave no result: it took this in and then forgot our session, so it may have been done all the same`
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	if n := shop.bought.Load(); n != 1 {
		t.Errorf("bought %d times", n)
	}
}

// TestWhatOnlySoundsLikeALostSession is not done a second time: the server has looked at the call, and failed.
func TestWhatOnlySoundsLikeALostSession(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
	}{
		"another session": {http.StatusInternalServerError, "the database session was rolled back"},
		"while it worked": {http.StatusInternalServerError, "Session not found"},
		"a bad request":   {http.StatusBadRequest, "no database session for this table"},
	} {
		t.Run(name, func(t *testing.T) {
			shop := &forgetful{buy: func(w http.ResponseWriter, _ question, _ int32) {
				w.WriteHeader(c.status)
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":%q}}`, c.text)
			}}
			set, _ := ready(t, Server{Name: "shop", URL: serveHTTP(t, shop)})
			_, err := set.Call(t.Context(), "shop__buy", nil, nil)
			if want := `the server "shop" gave no result: it answered with error -32603: ` + c.text; err == nil || err.Error() != want {
				t.Errorf("it says %v", err)
			}
			if n := shop.bought.Load(); n != 1 {
				t.Errorf("bought %d times", n)
			}
		})
	}
}

// TestSessionsLostInOtherWords: so the usual libraries say it, with 400 instead of 404.
func TestSessionsLostInOtherWords(t *testing.T) {
	for _, text := range []string{"Bad Request: No valid session ID provided", "Session not found", "Bad Request: Mcp-Session-Id header is required", "Invalid or expired session"} {
		t.Run(text, func(t *testing.T) {
			shop := &forgetful{buy: func(w http.ResponseWriter, q question, nth int32) {
				if nth > 1 {
					sayResult(w, q, `{"content":[{"type":"text","text":"bought"}]}`)
					return
				}
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":%q}}`, text)
			}}
			set, _ := ready(t, Server{Name: "shop", URL: serveHTTP(t, shop)})
			if got := call(t, set, "shop__buy", "").Text; got != "bought" {
				t.Errorf("after the session was lost: %q", got)
			}
		})
	}
}

// TestAnAnswerThatSaysNothing is none, whatever the status.
func TestAnAnswerThatSaysNothing(t *testing.T) {
	for body, want := range map[string]string{
		`{"message":"Internal server error"}`: "it answered 500 Internal Server Error",
		`{"error":null}`:                      "it answered 500 Internal Server Error",
		`{}`:                                  "it answered 500 Internal Server Error",
	} {
		shop := &forgetful{buy: func(w http.ResponseWriter, _ question, _ int32) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, body)
		}}
		set, _ := ready(t, Server{Name: "shop", URL: serveHTTP(t, shop)})
		result, err := set.Call(t.Context(), "shop__buy", nil, nil)
		if err == nil || err.Error() != `the server "shop" gave no result: `+want {
			t.Errorf("%s: %+v, %v", body, result, err)
		}
	}
}
