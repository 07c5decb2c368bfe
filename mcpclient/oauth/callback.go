package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// callback is the local address that the login server redirects the browser to, during one login.
type callback struct {
	net.Listener

	state     string // of this login; others are ignored
	issuer    string // the login server that must redirect
	namesSelf bool   // the issuer includes its name in redirects

	done chan outcome // the first valid redirect
}

// outcome is the result of a login at the login server.
type outcome struct {
	code string
	err  error
}

// listen opens the address. Port 0 means any free port.
func listen(port int) (*callback, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("cannot use port %d for the redirect: %w. callback_port sets another", port, err)
	}
	return &callback{Listener: listener, done: make(chan outcome, 1)}, nil
}

const callbackPath = "/callback"

func (c *callback) address() string { return "http://" + c.Addr().String() + callbackPath }

// serve answers the browser until stop is called.
func (c *callback) serve() (stop func()) {
	mux := http.NewServeMux()
	mux.Handle("GET "+callbackPath, c)
	const limit = 10 * time.Second
	server := &http.Server{Handler: mux, ReadHeaderTimeout: limit, IdleTimeout: limit, MaxHeaderBytes: 64 << 10}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(c) })
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		serving.Wait()
	}
}

// wait returns the code of the first valid redirect, from the browser or pasted.
func (c *callback) wait(ctx context.Context, browser mcpclient.Browser) (string, error) {
	pasting, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			text, err := browser.Pasted(pasting)
			if err != nil || c.take(readPasted(text)) {
				return // after an error the browser may still be redirected
			}
			browser.Tell(errPasted)
		}
	})
	defer reading.Wait()
	defer stop()
	select {
	case o := <-c.done:
		return o.code, o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

var errPasted = errors.New("not the address of this login. Paste the whole address that the browser shows " +
	"after the login. It begins with http://127.0.0.1 and contains \"code=\" and \"state=\"")

// readPasted parses the query of a pasted address, even if that is quoted or broken into lines.
func readPasted(text string) url.Values {
	const longest = 32 << 10 // bytes
	if len(text) > longest {
		return nil
	}
	text = strings.Trim(strings.Join(strings.Fields(text), ""), "\"'<>`")
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	text, _, _ = strings.Cut(text, "#")
	query, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	return query
}

// take reports whether the query of a redirect belongs to this login. It ignores others, which any local program can
// send.
func (c *callback) take(query url.Values) bool {
	o, issuer := outcome{code: query.Get("code")}, query.Get("iss")
	refused := &refusedError{query.Get("error"), query.Get("error_description")}
	sameState := subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.state)) == 1
	switch {
	case !sameState || o.code == "" && refused.code == "":
		return false
	case issuer == "" && c.namesSelf:
		o = outcome{err: fmt.Errorf("the redirect does not name its login server %q", clean(c.issuer))}
	case issuer != "" && issuer != c.issuer:
		o = outcome{err: fmt.Errorf("the redirect comes from %q instead of %q", clean(issuer), clean(c.issuer))}
	case refused.code == "access_denied":
		o = outcome{err: fmt.Errorf("the login was denied (%w)", refused)}
	case refused.code != "":
		o = outcome{err: refused}
	}
	select {
	case c.done <- o:
	default:
	}
	return true
}

// ServeHTTP implements http.Handler.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := "Go back to the terminal to see whether you are logged in. You can close this page."
	status := http.StatusOK
	if !c.take(r.URL.Query()) {
		status = http.StatusBadRequest
		text = "This address belongs to another login. Open the address that aloud shows in the terminal."
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer") // the address contains the code
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}
