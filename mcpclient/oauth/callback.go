package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// callback is the address on this machine that the login server sends the browser to, for the time of one login.
type callback struct {
	net.Listener

	state  string // that only our own login page could tell
	issuer string // that must have sent it
	signed bool   // the issuer names itself in its answers

	came chan outcome // the first good answer
}

// outcome is what the login server says about the login.
type outcome struct {
	code string
	err  error
}

// listen opens the address. Port 0 is any that is free.
func listen(port int) (*callback, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("the port %d for the browser to come back to cannot be used: %w; callback_port sets another", port, err)
	}
	return &callback{Listener: listener, came: make(chan outcome, 1)}, nil
}

const callbackPath = "/callback"

func (c *callback) address() string { return "http://" + c.Addr().String() + callbackPath }

// serve answers the browser until stop is called.
func (c *callback) serve() (stop func()) {
	mux := http.NewServeMux()
	mux.Handle("GET "+callbackPath, c)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(c) })
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // the browser may be reading its page
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		serving.Wait()
	}
}

// wait returns the code of the first good answer, from the browser or pasted.
func (c *callback) wait(ctx context.Context, person conn.Browser) (string, error) {
	pasting, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			text, err := person.Pasted(pasting)
			if err != nil || c.take(readPasted(text)) {
				return // without an address to paste the browser may still come back
			}
			person.Tell(errPasted)
		}
	})
	defer reading.Wait()
	defer stop()
	select {
	case o := <-c.came:
		return o.code, o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

var errPasted = errors.New("that is not the address of this login: paste the whole one that the browser shows after the login, " +
	"which begins with http://127.0.0.1 and has \"code=\" and \"state=\" in it")

// readPasted reads the answer of the login server from a pasted text: the whole address, or what is after its question mark, with whatever a
// terminal, a chat or a mail puts around it.
func readPasted(text string) url.Values {
	const longest = 32 << 10 // bytes
	if len(text) > longest {
		return nil
	}
	text = strings.Trim(strings.Join(strings.Fields(text), ""), "\"'<>`") // a long address may have been broken into lines
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	text, _, _ = strings.Cut(text, "#")
	answer, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	return answer
}

// take reports whether an answer is one to this login. Any program on this machine can send others, which change nothing.
func (c *callback) take(answer url.Values) bool {
	o, issuer := outcome{code: answer.Get("code")}, answer.Get("iss")
	refused := &refusedError{answer.Get("error"), answer.Get("error_description")}
	switch {
	case !same(answer.Get("state"), c.state) || o.code == "" && refused.code == "":
		return false
	case issuer == "" && c.signed:
		o = outcome{err: fmt.Errorf("the answer does not say that it comes from %q", clean(c.issuer))}
	case issuer != "" && issuer != c.issuer:
		o = outcome{err: fmt.Errorf("the answer comes from %q instead of %q", clean(issuer), clean(c.issuer))}
	case refused.code == "access_denied":
		o = outcome{err: fmt.Errorf("it was refused there (%w)", refused)}
	case refused.code != "":
		o = outcome{err: refused}
	}
	select {
	case c.came <- o:
	default: // one was enough
	}
	return true
}

// ServeHTTP implements http.Handler.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := "Go back to the terminal: it says whether you are logged in. You can close this page."
	status := http.StatusOK
	if !c.take(r.URL.Query()) {
		status = http.StatusBadRequest
		text = "This address belongs to another login. Open the one that aloud shows in the terminal once more."
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer") // the address has the code in it
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}
