package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// serveHTTP serves a handler for the test and returns its URL.
func serveHTTP(t *testing.T, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// onlyLegacy is a server without server/discover.
func onlyLegacy(handler http.Handler) http.Handler {
	return rewriting(handler, func(method string, w http.ResponseWriter) bool {
		if method != "server/discover" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`)
		return true
	})
}

// rewriting passes the method of each message to a function, which may respond itself.
func rewriting(handler http.Handler, answered func(method string, w http.ResponseWriter) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct {
			Method string `json:"method"`
		}
		_ = json.Unmarshal(body, &message)
		if !answered(message.Method, w) {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			handler.ServeHTTP(w, r)
		}
	})
}

func TestStreamableHTTP(t *testing.T) {
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"newest": func(h http.Handler) http.Handler { return h },
		"legacy": onlyLegacy,
		"agreeing to anything": func(h http.Handler) http.Handler {
			return rewriting(h, func(method string, w http.ResponseWriter) bool {
				if method == "server/discover" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
				}
				return method == "server/discover"
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var keys []string
			shop := wrap(server.NewStreamableHTTPServer(workshop(t)))
			place := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				keys = append(keys, r.Header.Get("X-Key")+" at "+r.Host)
				mu.Unlock()
				r.Host = "127.0.0.1" // mcp-go's server accepts only local host names
				shop.ServeHTTP(w, r)
			}))
			set, board := ready(t, mcpclient.Server{Name: "shop", URL: place,
				Headers: map[string]string{"X-Key": "k", "host": "shop.example:81"}})
			if got := call(t, set, "shop__echo", `{"n":9007199254740993}`).Text; got != `{"n":9007199254740993}` {
				t.Errorf("echo says %q", got)
			}
			if r := call(t, set, "shop__fail", ""); !r.Failed || r.Text != "no such user" {
				t.Errorf("%+v", r)
			}
			var last mcpclient.Progress
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__count"}, func(p mcpclient.Progress) { last = p })
			if err != nil || last.Done == 0 {
				t.Errorf("%v, progress %+v", err, last)
			}
			before := len(set.Tools())
			call(t, set, "shop__grow", "")
			await(t, board, func(s []mcpclient.ServerStatus) bool { return s[0].Tools == before+1 })
			mu.Lock()
			defer mu.Unlock()
			for _, key := range keys {
				if key != "k at shop.example:81" {
					t.Fatalf("a request went without the headers of the configuration: %q", key)
				}
			}
		})
	}
}

func TestSSEFallback(t *testing.T) {
	listener := httptest.NewServer(nil)
	sse := server.NewSSEServer(workshop(t), server.WithBaseURL(listener.URL))
	listener.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/sse" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		sse.ServeHTTP(w, r)
	})
	t.Cleanup(func() {
		listener.CloseClientConnections()
		listener.Close()
	})
	set, board := ready(t,
		mcpclient.Server{Name: "told", URL: listener.URL + "/sse", Transport: "sse"},
		mcpclient.Server{Name: "untold", URL: listener.URL + "/sse"})
	for _, name := range []string{"told__echo", "untold__echo"} {
		if got := call(t, set, name, `{"a":1}`).Text; got != `{"a":1}` {
			t.Errorf("%s says %q", name, got)
		}
	}
	const want = `workshop 1.0; supports only the old SSE transport. transport = "sse" connects faster`
	if got := board.Servers()[1].Detail; got != want {
		t.Errorf("the board says %q", got)
	}
	listener.CloseClientConnections()
	await(t, board, func(s []mcpclient.ServerStatus) bool { return s[0].State == mcpclient.ServerFailed })
	if got := call(t, set, "told__echo", `{}`).Text; got != `{}` {
		t.Errorf("after the connection was lost: %q", got)
	}
}

// TestForgottenSessionOverSSE has a server that restarts behind a proxy, which keeps the stream open.
func TestForgottenSessionOverSSE(t *testing.T) {
	for code, text := range map[int]string{
		http.StatusNotFound: "", http.StatusBadRequest: "No transport found for sessionId",
	} {
		var calls atomic.Int32
		sse := server.NewSSEServer(workshop(t))
		place := serveHTTP(t, rewriting(sse, func(method string, w http.ResponseWriter) bool {
			if method != "tools/call" || calls.Add(1) > 1 {
				return false
			}
			http.Error(w, text, code)
			return true
		}))
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place + "/sse", Transport: "sse"})
		if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` || calls.Load() != 2 {
			t.Errorf("%d: %q after %d calls", code, got, calls.Load())
		}
	}
}

// TestUnclearRefusalOverSSE checks that a call that may have been processed is not repeated.
func TestUnclearRefusalOverSSE(t *testing.T) {
	for code, text := range map[int]string{
		http.StatusServiceUnavailable: "Session not found", http.StatusBadRequest: "refused: session_id is required",
	} {
		var calls atomic.Int32
		place := serveHTTP(t, rewriting(server.NewSSEServer(workshop(t)),
			func(method string, w http.ResponseWriter) bool {
				if method != "tools/call" || calls.Add(1) > 1 {
					return false
				}
				http.Error(w, text, code)
				return true
			}))
		set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place + "/sse", Transport: "sse"})
		_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil)
		if !errors.Is(err, conn.ErrSessionEnded) || calls.Load() != 1 {
			t.Errorf("%d: %v after %d calls", code, err, calls.Load())
		}
		if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` {
			t.Errorf("%d: the next call says %q", code, got)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	sorting := serveHTTP(t, rewriting(http.NotFoundHandler(), func(method string, w http.ResponseWriter) bool {
		code := map[bool]int{true: http.StatusUnauthorized, false: http.StatusBadRequest}[method == "server/discover"]
		http.Error(w, "", code)
		return true
	}))
	nobody := httptest.NewServer(nil)
	nobody.Close()
	for place, want := range map[string]string{
		sorting:         "answered 401 Unauthorized. Set bearer_token_env_var",
		nobody.URL:      "refused",
		"ftp://nowhere": "invalid url",
	} {
		_, board := ready(t, mcpclient.Server{Name: "s", URL: place + "/?key=secret"})
		s := board.Servers()[0]
		if s.State != mcpclient.ServerFailed || !strings.Contains(s.Detail, want) || strings.Contains(s.Detail, "secret") {
			t.Errorf("%s %s, want %q in it", s.State, s.Detail, want)
		}
	}
}

func TestRefusedToken(t *testing.T) {
	place := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	headers := map[string]string{"Authorization": "Bearer old"}
	for want, server := range map[string]mcpclient.Server{
		"answered 401 Unauthorized. Set bearer_token_env_var or http_headers": {},
		`refused the token (401 Unauthorized). Check the environment variable "T"`: {Headers: headers,
			Credential: `the environment variable "T"`},
	} {
		for _, server.Transport = range []string{"", "sse"} {
			server.Name, server.URL = "s", place+"/?key=secret"
			_, board := ready(t, server)
			s := board.Servers()[0]
			if s.State != mcpclient.ServerFailed || s.Detail != fmt.Sprintf("%q %s", place, want) {
				t.Errorf("%s %s, want %q", s.State, s.Detail, want)
			}
		}
	}
}

// TestRedirects checks that an error names the redirect and the new address, without credentials, if a redirect cannot
// be followed, and that others are followed.
func TestRedirects(t *testing.T) {
	shop := server.NewStreamableHTTPServer(workshop(t))
	redirects := http.NewServeMux()
	redirects.Handle("/shop", shop)
	redirects.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(path.Base(r.URL.Path))
		http.Redirect(w, r, r.URL.Query().Get("to"), code)
	})
	home := serveHTTP(t, redirects)
	for _, code := range []int{301, 302, 303, 307, 308} {
		for to, address := range map[string]string{
			"/shop": home + "/shop",
			"https://u:sesame@elsewhere.example/shop?key=sesame": "https://elsewhere.example/shop",
		} {
			config := mcpclient.Server{Name: "s", URL: fmt.Sprintf("%s/%d?to=%s", home, code, url.QueryEscape(to))}
			_, board := ready(t, config)
			s := board.Servers()[0]
			want := fmt.Sprintf("no MCP server at %q: the server redirects (%d %s) to %q. "+
				"If that is right, set url to that address", home, code, http.StatusText(code), address)
			if to == "/shop" && code >= 307 {
				want = "workshop 1.0"
			}
			if s.Detail != want {
				t.Errorf("%d to %s: %s", code, to, s.Detail)
			}
		}
	}
}

func TestTokenRefusedDuringSession(t *testing.T) {
	var expired atomic.Bool
	place := serveHTTP(t, rewriting(onlyLegacy(server.NewStreamableHTTPServer(workshop(t))),
		func(_ string, w http.ResponseWriter) bool {
			if expired.Load() {
				w.WriteHeader(http.StatusUnauthorized)
			}
			return expired.Load()
		}))
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place, Credential: "http_headers"})
	expired.Store(true)
	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil)
	want := fmt.Sprintf(`server "shop" returned no result: %q refused the token (401 Unauthorized). Check http_headers`,
		place)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCancelOverHTTP(t *testing.T) {
	called, told := make(chan struct{}), make(chan struct{})
	shop := onlyLegacy(server.NewStreamableHTTPServer(workshop(t)))
	place := serveHTTP(t, rewriting(shop, func(method string, w http.ResponseWriter) bool {
		switch method {
		case "notifications/initialized": // odd servers respond with a stream
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-t.Context().Done()
			return true
		case "tools/call":
			close(called)
			select {
			case <-told:
			case <-t.Context().Done(): // it never came
			}
			return true
		case "notifications/cancelled":
			close(told)
			w.WriteHeader(http.StatusAccepted)
			return true
		}
		return false
	}))
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-called
		cancel()
	}()
	if _, err := set.Call(ctx, mcpclient.Call{Tool: "shop__hang"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-told:
	case <-time.After(5 * time.Minute): // only reached by a broken program
		t.Error("the server was never told")
	}
}
