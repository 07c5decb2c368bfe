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

// traffic stands between aloud and the model server, hands everything through as it comes, and remembers the chat requests.
type traffic struct {
	*httptest.Server
	answering chan struct{}          // closed when the first piece of a reply went through
	harms     func(request int) harm // what happens to the reply to a chat request, counted from 0; nil: nothing. Set it before the first.
	goOn      chan struct{}          // close it to let replies go on that wait or pause
	discreet  bool                   // the server does not tell which models are in memory

	server    string
	unloading sync.Mutex // held while a model leaves the memory

	mu    sync.Mutex
	chats []*chatRequest
	once  sync.Once
}

// A chatRequest is what the tests look at of a request for a reply.
type chatRequest struct {
	Model   string
	Options struct {
		NumCtx int `json:"num_ctx"`
	}
	Tools    []json.RawMessage
	Messages []struct{ Role, Content string }

	body  []byte // as it was sent
	reply []byte // as far as it came
}

// A harm is what happens to a reply.
type harm int

const (
	unharmed harm = iota
	drops         // the connection is lost before a word comes
	garbles       // the server says that it cannot read the model's call, as the real one says it
	waits         // nothing comes until goOn
	pauses        // nothing comes after the first line until goOn
	stalls        // nothing comes after the first line
)

// unreadable is what a server says of a call that it cannot read. The real one may never answer again once it has said so, which is why it is
// not asked for it a second time.
const unreadable = `{"error":"failed to parse JSON: unexpected end of JSON input"}`

// asks tells whether the last message begins with words.
func (c chatRequest) asks(words string) bool {
	return len(c.Messages) > 0 && strings.HasPrefix(c.Messages[len(c.Messages)-1].Content, words)
}

// listenIn checks at the end of the test that no request left the size of the context to the server's default.
func listenIn(t *testing.T, server string) *traffic {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	tr := &traffic{server: server, answering: make(chan struct{}), goOn: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		ModifyResponse: tr.watchReply,
		ErrorLog:       log.New(io.Discard, "", 0), // a client that leaves is part of the tests
	}
	tr.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		req = tr.note(t, req)
		switch harm := replyTo(req).harm; {
		case tr.discreet && req.URL.Path == "/api/ps":
			http.NotFound(rw, req)
		case harm == drops:
			panic(http.ErrAbortHandler)
		case harm == garbles:
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(rw, unreadable) // fails when the client has gone
		default:
			proxy.ServeHTTP(rw, req)
		}
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
func (tr *traffic) note(t *testing.T, req *http.Request) *http.Request {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return req // the client has gone
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if req.URL.Path != "/api/chat" {
		return req
	}
	tr.unloading.Lock()   // what leaves the memory just now is loaded again after that
	tr.unloading.Unlock() //nolint:staticcheck // nothing is to be done in between
	chat := &chatRequest{body: body}
	if err := json.Unmarshal(body, chat); err != nil {
		t.Errorf("a chat request is not JSON: %v", err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	reply := &watchedBody{traffic: tr, chat: chat}
	if tr.harms != nil {
		reply.harm = tr.harms(len(tr.chats))
	}
	tr.chats = append(tr.chats, chat)
	return req.WithContext(context.WithValue(req.Context(), replyKey{}, reply))
}

// replyKey finds the watchedBody of a chat request in its context.
type replyKey struct{}

// replyTo is the reply to a chat request, and one that nobody looks at to any other.
func replyTo(req *http.Request) *watchedBody {
	if reply, ok := req.Context().Value(replyKey{}).(*watchedBody); ok {
		return reply
	}
	return &watchedBody{}
}

// requests are the chat requests so far.
func (tr *traffic) requests() []chatRequest {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	list := make([]chatRequest, len(tr.chats))
	for i, chat := range tr.chats {
		list[i] = *chat
	}
	return list
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
	if reply := replyTo(resp.Request); reply.chat != nil {
		reply.ReadCloser, reply.gone = resp.Body, resp.Request.Context().Done()
		resp.Body = reply
	}
	return nil
}

// watchedBody is the reply to a chat request.
type watchedBody struct {
	io.ReadCloser
	traffic *traffic
	chat    *chatRequest
	harm    harm
	gone    <-chan struct{} // closed when the client has left
	begun   bool
	ended   bool
}

// Close unloads the model of a reply that was broken off: about one time in 200 this release of Ollama waits for ever for somebody to take
// the next word of such a reply, and with it all later requests. A sentence for the status line is so short that it does not come to that.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if !b.whole() && !b.chat.asks("You are now running the tool") {
		b.traffic.unload(b.chat.Model)
	}
	return err
}

// whole tells whether the reply came to its end, behind which a client need not read on.
func (b *watchedBody) whole() bool {
	b.traffic.mu.Lock()
	defer b.traffic.mu.Unlock()
	return b.ended || bytes.Contains(b.chat.reply, []byte(`"done":true`))
}

// unload takes a model out of the server's memory, and waits at most some seconds for that. A server that was killed has none.
func (tr *traffic) unload(model string) {
	tr.unloading.Lock()
	defer tr.unloading.Unlock()
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Post(tr.server+"/api/chat", "application/json", strings.NewReader(fmt.Sprintf(`{"model": %q, "keep_alive": 0}`, model)))
	if err == nil {
		resp.Body.Close()
	}
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.harm == waits || b.begun && b.harm == pauses {
		select {
		case <-b.traffic.goOn:
		case <-b.gone:
		}
	}
	if b.begun && b.harm == stalls {
		<-b.gone
	}
	n, err := b.readPiece(p)
	b.begun = b.begun || n > 0
	b.ended = b.ended || errors.Is(err, io.EOF)
	if n > 0 {
		b.traffic.once.Do(func() { close(b.traffic.answering) })
		b.traffic.mu.Lock()
		defer b.traffic.mu.Unlock()
		b.chat.reply = append(b.chat.reply, p[:n]...)
	}
	return n, err
}

// readPiece reads what there is, and only the first line of a reply of which nothing else shall come.
func (b *watchedBody) readPiece(p []byte) (n int, err error) {
	if b.begun || b.harm != pauses && b.harm != stalls {
		return b.ReadCloser.Read(p)
	}
	for err == nil && n < len(p) && !bytes.HasSuffix(p[:n], []byte("\n")) {
		var one int
		one, err = b.ReadCloser.Read(p[n : n+1])
		n += one
	}
	return n, err
}
