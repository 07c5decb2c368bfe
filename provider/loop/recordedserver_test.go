package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/ollama"
)

// A player is a server that replays a recording. Its connections are pipes in memory, which work under fake time.
type player struct {
	t       *testing.T
	played  *played
	server  *http.Server
	conns   chan net.Conn
	closed  chan struct{}
	serving sync.WaitGroup

	mu   sync.Mutex
	left []*exchange // not requested yet
	told facts
}

// facts are what the server has reported so far.
type facts struct {
	inMemory bool // the model is loaded, or was at the last request
	loading  bool // a request to load it is open
	thinking bool // in the current answer; also the next two
	text     bool
	calls    bool
	over     bool // the answer ended
	broke    bool // before its end
	summary  bool // was requested
}

func (r *played) serve(t *testing.T) *player {
	p := &player{t: t, played: r, conns: make(chan net.Conn), closed: make(chan struct{}), left: r.exchanges}
	p.server = &http.Server{Handler: p}
	p.serving.Go(func() { _ = p.server.Serve(p) }) // returns when the server is closed
	r.server = p
	return p
}

func (p *player) stop() {
	p.server.Close()
	p.serving.Wait()
	for _, x := range p.left {
		if x.key != "GET /api/ps" { // depends on the clock
			p.t.Errorf("nobody asked for %q again: the recording is of another program", x.key)
		}
	}
}

// Accept implements net.Listener.
func (p *player) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *player) Close() error { close(p.closed); return nil }

// Addr implements net.Listener.
func (p *player) Addr() net.Addr { return &net.IPAddr{} }

func (p *player) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client returns the real client, connected to the player. Its address is remote, so it does not ask for this machine's
// memory.
func (p *player) client(t *testing.T) *ollama.Client {
	c, err := ollama.NewOver(&http.Transport{DialContext: p.dial}, "http://ollama.example:11434")
	must(t, err)
	return c
}

// take returns the next exchange with a key.
func (p *player) take(key string) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.left {
		if x.key == key {
			p.left = append(p.left[:i:i], p.left[i+1:]...)
			return x
		}
	}
	return nil
}

// ServeHTTP sends the recorded response to a request.
func (p *player) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	began := time.Now()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	key := strings.TrimSpace(req.Method + " " + req.URL.Path + " " + recording.Purpose(req.URL.Path, body))
	x := p.take(key)
	if x == nil && key == "GET /api/ps" { // recorded only if the client did not know
		fmt.Fprintf(rw, `{"models":[{"name":%q}]}`, p.played.turn.Model)
		return
	}
	if x == nil {
		p.t.Errorf("%q was not recorded so often", key)
		rw.WriteHeader(http.StatusInternalServerError)
		return
	}
	p.began(x)
	over := sync.OnceFunc(func() { p.over(x) })
	defer over()
	rw.Header().Set("Content-Type", x.head.Type)
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
		case <-req.Context().Done():
		}
		return req.Context().Err() == nil
	}
	for i, e := range x.came {
		if !wait(time.Until(began.Add(time.Duration(e.At)))) {
			return
		}
		switch e.End {
		case "lost":
			panic(http.ErrAbortHandler)
		case "left":
			<-req.Context().Done()
			return
		case "cut":
			return
		}
		p.tells(x, e)
		if i == len(x.came)-1 {
			over() // the client may see the end before this goroutine does
		}
		if i == 0 {
			rw.WriteHeader(x.head.Status)
		}
		_, _ = rw.Write(append(e.Line[:len(e.Line):len(e.Line)], '\n')) // fails if the client has gone
		_ = http.NewResponseController(rw).Flush()
	}
}

func (p *player) began(x *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case x.head.Request == "POST /api/generate":
		p.told.loading = true
	case x.head.For == "summary":
		p.told.summary = true
	case x.head.For == "answer":
		p.told = facts{inMemory: p.told.inMemory, summary: p.told.summary, broke: p.told.broke} // it may be requested again
	}
}

func (p *player) over(x *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case x.head.Request == "POST /api/generate":
		p.told.loading, p.told.inMemory = false, true
	case x.head.For == "answer":
		p.told.over = true
		p.told.broke = len(x.came) == 0 || x.came[len(x.came)-1].End != ""
	}
}

// tells notes what a line of the server shows about the turn.
func (p *player) tells(x *exchange, e recording.Line) {
	if x.head.For != "answer" && x.head.Request != "GET /api/ps" {
		return
	}
	var says struct {
		Models  []struct{ Name string }
		Message struct {
			Content, Thinking string
			Calls             []any `json:"tool_calls"`
		}
	}
	if json.Unmarshal(e.Line, &says) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if says.Models != nil {
		p.told.inMemory = len(says.Models) > 0
	}
	m := says.Message
	p.told.thinking = p.told.thinking || m.Thinking != ""
	p.told.text = p.told.text || m.Content != ""
	p.told.calls = p.told.calls || m.Calls != nil
}

func (p *player) facts() facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

// playedTools replays the recorded calls.
type playedTools struct {
	player *player
	began  time.Time
}

func (r *played) tools() *playedTools { return &playedTools{r.server, time.Now()} }

// Tools implements loop.Tools.
func (p *playedTools) Tools() []mcpclient.Tool { return p.player.played.offered }

// Starting implements loop.Starting.
func (p *playedTools) Starting() (settled, all int, changed <-chan struct{}) {
	next := make(chan struct{})
	ready := p.player.played.ready
	for _, at := range ready {
		if rest := time.Until(p.began.Add(time.Duration(at))); rest > 0 {
			time.AfterFunc(rest, func() { close(next) })
			break
		}
		settled++
	}
	return settled, len(ready), next
}

// Call implements loop.Tools.
func (p *playedTools) Call(
	ctx context.Context, call mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	name, arguments, began := call.Tool, call.Arguments, time.Now()
	x := p.player.take(name + compactJSON(arguments))
	if x == nil {
		p.player.t.Errorf("the call %s %s was not recorded so often", name, arguments)
		return mcpclient.Result{}, errors.New("it was not recorded")
	}
	for _, e := range x.came {
		select {
		case <-time.After(time.Until(began.Add(time.Duration(e.At)))):
		case <-ctx.Done():
			return mcpclient.Result{}, ctx.Err()
		}
		switch {
		case e.Progress != nil:
			progress(*e.Progress)
		case e.Error != "":
			return mcpclient.Result{}, errors.New(e.Error)
		case e.Result != nil:
			return *e.Result, nil
		}
	}
	<-ctx.Done()
	return mcpclient.Result{}, ctx.Err()
}

var (
	_ mcpclient.Tools    = (*playedTools)(nil)
	_ mcpclient.Starting = (*playedTools)(nil)
)
