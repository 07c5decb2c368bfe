package servers

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// forgetful is a server with sessions and the tool "buy". The test controls its responses and streams.
type forgetful struct {
	buy   func(w http.ResponseWriter, m mcptest.Message, nth int32)
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
	m := mcptest.Read(r.Body)
	w.Header().Set("Content-Type", "application/json")
	response := m.Usual()
	switch m.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", f.hellos.Add(1)))
	case "tools/list":
		response = m.Tools(fmt.Sprintf(`{"name":"buy","annotations":%s}`, cmp.Or(f.hints, "{}")))
	case "tools/call":
		f.buy(w, m, f.bought.Add(1))
		return
	}
	if response == "" {
		w.WriteHeader(http.StatusAccepted)
	}
	_, _ = io.WriteString(w, response)
}

// TestAcceptedCallRunsOnce ends the session before the result can be fetched.
func TestAcceptedCallRunsOnce(t *testing.T) {
	// accepts the call and ends its stream, which should be resumed
	begin := func(w http.ResponseWriter, m mcptest.Message, nth int32) {
		if nth > 1 {
			_, _ = io.WriteString(w, m.Text("bought"))
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

// forgotten is a response to a call of a session that the server may have forgotten.
type forgotten struct {
	hints, kind, body string
	status            int
	want              string // "again" means that the call is repeated in a second session
}

// lost begins the error of a call that may have been processed.
const lost = "the session seems to be lost, and the request may have been processed: "

// rpcError matches the short form of an error of JSON-RPC.
var rpcError = regexp.MustCompile(`^(@|null|"server-error") (-\d+): (.*)$`)

// readForgotten reads testdata/forgotten.txt.
func readForgotten(t *testing.T) (all []forgotten) {
	t.Helper()
	for _, row := range tabletest.Read(t, "forgotten.txt") {
		f := forgotten{want: strings.Replace(row[3], "lost: ", lost, 1)}
		if row[0] != "" {
			f.hints = fmt.Sprintf(`{%q:true}`, row[0])
		}
		var status string
		var err error
		status, f.kind, _ = strings.Cut(row[1], " ")
		if f.status, err = strconv.Atoi(status); err != nil {
			t.Fatal(err)
		}
		f.body = rpcError.ReplaceAllString(row[2], `{"jsonrpc":"2.0","id":$1,"error":{"code":$2,"message":"$3"}}`)
		if f.kind == "text/event-stream" {
			f.body = "data: " + f.body + "\n\n"
		}
		all = append(all, f)
	}
	return all
}

// TestForgottenSession checks that a session that the server has forgotten is replaced by one new session, and that a
// call is repeated once unless it may have changed something.
func TestForgottenSession(t *testing.T) {
	for _, c := range readForgotten(t) {
		shop := &forgetful{hints: c.hints, buy: func(w http.ResponseWriter, m mcptest.Message, nth int32) {
			if nth > 1 {
				_, _ = io.WriteString(w, m.Text("bought"))
				return
			}
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, strings.ReplaceAll(c.body, "@", string(m.ID)))
		}}
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop), Trusted: true})
		result, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
		n, sessions, wantCalls := shop.bought.Load(), shop.hellos.Load(), int32(1)
		if c.want == "again" {
			wantCalls = 2
		}
		switch {
		case n != wantCalls || sessions != n:
			t.Errorf("%d %s: %d calls in %d sessions, %v", c.status, c.body, n, sessions, err)
		case c.want == "again" && (err != nil || result.Text != "bought"):
			t.Errorf("%d %s: %+v, %v", c.status, c.body, result, err)
		case c.want != "again" && (err == nil || err.Error() != `server "shop" returned no result: `+c.want):
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
	shop := &forgetful{hints: `{"readOnlyHint":true}`, buy: func(w http.ResponseWriter, m mcptest.Message, _ int32) {
		_, _ = io.WriteString(w, m.Fail(-32001, "Session not found"))
	}}
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: serveHTTP(t, shop)})
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__buy"}, nil)
	if n := shop.bought.Load(); err == nil || n != 1 {
		t.Errorf("%v after %d calls", err, n)
	}
}
