//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// traffic is a proxy for the model server that records the chat requests.
type traffic struct {
	*httptest.Server
	firstReply chan struct{} // closed when the first part of a reply was forwarded
	// faults returns the fault of the reply to a chat request, counted from 0. It may be nil. Set it before the first
	// request.
	faults     func(request int) fault
	resume     chan struct{} // close it to release replies that are delayed or paused
	hideLoaded bool          // /api/ps is not found, so aloud does not know which models are loaded

	server    string
	unloading sync.Mutex // held while a model is unloaded

	mu    sync.Mutex
	chats []*chatRequest
	once  sync.Once
}

// A chatRequest has the parts of a request that the tests check.
type chatRequest struct {
	Model   string
	Options struct {
		NumCtx int `json:"num_ctx"`
	}
	Tools    []json.RawMessage
	Messages []struct{ Role, Content string }

	body  []byte // as sent
	reply []byte // as far as received

	began, first, ended time.Time // when the request came, and when the reply began and ended; zero if it did not
}

// A fault is a failure of a reply.
type fault int

const (
	noFault        fault = iota
	dropConnection       // the connection is lost before the first token
	failParsing          // the server reports that it cannot parse the model's call
	delayReply           // nothing is sent until resume is closed
	pauseReply           // nothing is sent after the first line until resume is closed
	stallReply           // nothing is sent after the first line
	breakReply           // the reply ends after the first line, without a final one
)

// parseError is the response of a server that cannot parse a call. The proxy sends it because the real server may hang
// afterwards.
const parseError = `{"error":"failed to parse JSON: unexpected end of JSON input"}`

// lastHasPrefix reports whether the last message begins with prefix.
func (c chatRequest) lastHasPrefix(prefix string) bool {
	return len(c.Messages) > 0 && strings.HasPrefix(c.Messages[len(c.Messages)-1].Content, prefix)
}

// newTraffic starts the proxy. When the test ends it checks that every request had the size of the context.
func newTraffic(t testing.TB, server string) *traffic {
	t.Helper()
	target, err := url.Parse(server)
	must(t, err)
	tr := &traffic{server: server, firstReply: make(chan struct{}), resume: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		ModifyResponse: tr.watchReply,
		ErrorLog:       log.New(io.Discard, "", 0), // some tests disconnect early
	}
	tr.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		req = tr.note(t, req)
		switch fault := replyTo(req).fault; {
		case tr.hideLoaded && req.URL.Path == "/api/ps":
			http.NotFound(rw, req)
		case fault == dropConnection:
			panic(http.ErrAbortHandler)
		case fault == failParsing:
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(rw, parseError) // fails if the client has gone
		default:
			proxy.ServeHTTP(rw, req)
		}
	}))
	t.Cleanup(func() {
		tr.CloseClientConnections()
		tr.Close()
		for i, chat := range tr.requests() {
			if chat.Options.NumCtx <= 0 {
				t.Errorf("chat request %d has no num_ctx", i)
			}
		}
	})
	return tr
}

// note reads the whole request before forwarding it. The HTTP server closes the body of a request as soon as a reply
// begins, and the proxy's transport would break the connection if it were still reading.
func (tr *traffic) note(t testing.TB, req *http.Request) *http.Request {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return req // the client has gone
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if req.URL.Path != "/api/chat" {
		return req
	}
	tr.unloading.Lock()   // a model that is being unloaded is loaded again afterwards
	tr.unloading.Unlock() //nolint:staticcheck // the lock is only waited for
	chat := &chatRequest{body: body, began: time.Now()}
	if err := json.Unmarshal(body, chat); err != nil {
		t.Errorf("a chat request is not JSON: %v", err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	reply := &watchedBody{traffic: tr, chat: chat}
	if tr.faults != nil {
		reply.fault = tr.faults(len(tr.chats))
	}
	tr.chats = append(tr.chats, chat)
	return req.WithContext(context.WithValue(req.Context(), replyKey{}, reply))
}

// replyKey is the context key of the watchedBody of a chat request.
type replyKey struct{}

// replyTo returns the reply to a chat request, and an unused one for other requests.
func replyTo(req *http.Request) *watchedBody {
	if reply, ok := req.Context().Value(replyKey{}).(*watchedBody); ok {
		return reply
	}
	return &watchedBody{}
}

// requests returns the chat requests so far.
func (tr *traffic) requests() []chatRequest {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	list := make([]chatRequest, len(tr.chats))
	for i, chat := range tr.chats {
		list[i] = *chat
	}
	return list
}

// waitForReply waits until the first part of a reply has passed.
func (tr *traffic) waitForReply(t testing.TB) {
	t.Helper()
	select {
	case <-tr.firstReply:
	case <-time.After(waitLimit):
		t.Fatalf("no reply; the chat requests are %+v", tr.requests())
	}
}

func (tr *traffic) watchReply(resp *http.Response) error {
	if reply := replyTo(resp.Request); reply.chat != nil {
		reply.ReadCloser, reply.gone = resp.Body, resp.Request.Context().Done()
		resp.Body = reply
	}
	return nil
}

// watchedBody is the body of the reply to a chat request.
type watchedBody struct {
	io.ReadCloser
	traffic *traffic
	chat    *chatRequest
	fault   fault
	gone    <-chan struct{} // closed when the client has left
	started bool
	ended   bool
}

// Close unloads the model if the reply was broken off. About one time in 200 this release of Ollama hangs after such
// a reply, and with it all later requests. Sentences for the status line are too short for that.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if !b.complete() && !b.chat.lastHasPrefix("You are now running the tool") {
		b.traffic.unload(b.chat.Model)
	}
	return err
}

// complete reports whether the reply is complete. Clients need not read beyond it.
func (b *watchedBody) complete() bool {
	b.traffic.mu.Lock()
	defer b.traffic.mu.Unlock()
	return b.ended || bytes.Contains(b.chat.reply, []byte(`"done":true`))
}

// unload unloads a model and waits some seconds for it. It ignores errors: the server may have been killed.
func (tr *traffic) unload(model string) {
	tr.unloading.Lock()
	defer tr.unloading.Unlock()
	client := http.Client{Timeout: 10 * time.Second}
	body := strings.NewReader(fmt.Sprintf(`{"model": %q, "keep_alive": 0}`, model))
	resp, err := client.Post(tr.server+"/api/chat", "application/json", body)
	if err == nil {
		resp.Body.Close()
	}
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.fault == delayReply || b.started && b.fault == pauseReply {
		select {
		case <-b.traffic.resume:
		case <-b.gone:
		}
	}
	if b.started && b.fault == stallReply {
		<-b.gone
	}
	if b.started && b.fault == breakReply {
		return 0, io.EOF
	}
	n, err := b.readPart(p)
	b.started = b.started || n > 0
	now := time.Now()
	b.ended = b.ended || errors.Is(err, io.EOF)
	if n > 0 {
		b.traffic.once.Do(func() { close(b.traffic.firstReply) })
		b.traffic.mu.Lock()
		defer b.traffic.mu.Unlock()
		if b.chat.reply = append(b.chat.reply, p[:n]...); b.chat.first.IsZero() {
			b.chat.first = now
		}
		b.chat.ended = now
	}
	return n, err
}

// readPart reads the available bytes, but only the first line if the reply is to pause, stall or break.
func (b *watchedBody) readPart(p []byte) (n int, err error) {
	if b.started || b.fault < pauseReply {
		return b.ReadCloser.Read(p)
	}
	for err == nil && n < len(p) && !bytes.HasSuffix(p[:n], []byte("\n")) {
		var one int
		one, err = b.ReadCloser.Read(p[n : n+1])
		n += one
	}
	return n, err
}
