//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// traffic stands between aloud and the model server, hands everything through as it comes, and remembers the chat requests.
type traffic struct {
	*httptest.Server
	answering chan struct{} // closed when the first piece of a reply went through

	mu    sync.Mutex
	chats []chatRequest
	once  sync.Once
}

// A chatRequest is what the tests look at of a request for a reply.
type chatRequest struct {
	Model   string
	Options struct {
		NumCtx int `json:"num_ctx"`
	}
	Tools []json.RawMessage
}

// listenIn checks at the end of the test that no request left the size of the context to the server's default.
func listenIn(t *testing.T, server string) *traffic {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	tr := &traffic{answering: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		ModifyResponse: tr.watchReply,
		ErrorLog:       log.New(io.Discard, "", 0), // a client that leaves is part of the tests
	}
	tr.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		tr.note(t, req)
		proxy.ServeHTTP(rw, req)
	}))
	t.Cleanup(func() {
		tr.CloseClientConnections()
		tr.Close()
		for i, chat := range tr.requests() {
			if chat.Options.NumCtx <= 0 {
				t.Errorf("chat request %d has no num_ctx: the server would choose one", i)
			}
		}
	})
	return tr
}

// note reads the request, all of it before any goes on: our server closes the body of a request as soon as a reply begins, the proxy's
// transport may then still look for its end, and would break the connection that the reply comes on.
func (tr *traffic) note(t *testing.T, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if req.URL.Path != "/api/chat" {
		return
	}
	var chat chatRequest
	if err := json.Unmarshal(body, &chat); err != nil {
		t.Errorf("a chat request is not JSON: %v", err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.chats = append(tr.chats, chat)
}

// requests are the chat requests so far.
func (tr *traffic) requests() []chatRequest {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return append([]chatRequest(nil), tr.chats...)
}

// awaitReply waits until the first piece of a reply went through.
func (tr *traffic) awaitReply(t *testing.T) {
	t.Helper()
	select {
	case <-tr.answering:
	case <-time.After(patience):
		t.Fatalf("no reply came through; the chat requests are %+v", tr.requests())
	}
}

func (tr *traffic) watchReply(resp *http.Response) error {
	if resp.Request.URL.Path == "/api/chat" {
		resp.Body = &watchedBody{resp.Body, tr}
	}
	return nil
}

type watchedBody struct {
	io.ReadCloser
	traffic *traffic
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.traffic.once.Do(func() { close(b.traffic.answering) })
	}
	return n, err
}
