package oauth

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// callback is where the browser is sent in the end: an address on this machine, for the time of one login.
type callback struct {
	address  string
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	state  string // that only our own login page could tell
	issuer string // that must have sent it
	signed bool   // the issuer names itself in its answers

	came    chan outcome  // what the first good answer says
	decided chan struct{} // closed when the login is over
	err     error         // how; to be read after
	once    sync.Once
}

// outcome is what the authorization server says about the login.
type outcome struct {
	code string
	err  error
}

// listen opens the place to come back to. Port 0 is any that is free.
func listen(port int) (*callback, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("the port %d for the browser to come back to cannot be used: %w; callback_port sets another", port, err)
	}
	c := &callback{address: "http://" + listener.Addr().String() + callbackPath, listener: listener, came: make(chan outcome, 1), decided: make(chan struct{})}
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	return c, nil
}

const callbackPath = "/callback"

func (c *callback) serve(name string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, name) })
	c.server.Handler = mux
	c.serving.Go(func() { _ = c.server.Serve(c.listener) })
}

// close waits a moment for the browser to get its last page.
func (c *callback) close() {
	c.tell(errors.New("it was stopped"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
	c.listener.Close()
	c.serving.Wait()
}

// tell has the page say how the login ended.
func (c *callback) tell(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.decided)
	})
}

// wait returns the code of the first good answer, come by the browser or pasted.
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

// readPasted reads the answer of the authorization server out of a pasted text: the whole address, or what is after its question mark, with
// whatever a terminal, a chat or a mail puts around it.
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
	if err != nil || answer.Get("code") == "" && answer.Get("error") == "" {
		return nil
	}
	return answer
}

// take looks at an answer. One that is not of this login changes nothing: any program on this machine can send one.
func (c *callback) take(answer url.Values) bool {
	if !same(answer.Get("state"), c.state) {
		return false
	}
	o := outcome{code: answer.Get("code")}
	issuer := answer.Get("iss")
	switch {
	case issuer == "" && c.signed:
		o = outcome{err: fmt.Errorf("the answer does not say that it comes from %q", clean(c.issuer))}
	case issuer != "" && issuer != c.issuer:
		o = outcome{err: fmt.Errorf("the answer comes from %q instead of %q", clean(issuer), clean(c.issuer))}
	case answer.Get("error") != "":
		o = outcome{err: accessDenied(answer)}
	case o.code == "":
		o = outcome{err: errors.New("the answer has no code")}
	}
	select {
	case c.came <- o:
	default: // one was enough
	}
	return true
}

func accessDenied(answer url.Values) error {
	refused := &refusedError{answer.Get("error"), answer.Get("error_description")}
	if refused.code == "access_denied" {
		return fmt.Errorf("it was refused there (%w)", refused)
	}
	return refused
}

// answer shows the browser how the login went.
func (c *callback) answer(w http.ResponseWriter, r *http.Request, name string) {
	if !c.take(r.URL.Query()) {
		show(w, http.StatusBadRequest, "Not this login", "This address belongs to another login than the one that aloud waits for.",
			"Open the address that aloud shows in the terminal once more.")
		return
	}
	select {
	case <-c.decided:
	case <-r.Context().Done():
		return
	}
	if c.err != nil {
		show(w, http.StatusOK, "Not logged in", "The login to "+name+" did not work: "+c.err.Error()+".", "The terminal says more.")
		return
	}
	show(w, http.StatusOK, "Logged in", "aloud may use "+name+" for you now.", "You can close this page and go back to the terminal.")
}

func show(w http.ResponseWriter, status int, title, text, next string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address has the code in it
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, page, html.EscapeString(title), html.EscapeString(text), html.EscapeString(next))
}

// page has places for the title, the text and what to do next. With html/template the linker would keep every method of every type: 4 MB.
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%[1]s · aloud</title>
<style>
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 20vh auto; padding: 0 2rem; overflow-wrap: anywhere; }
</style>
<h1>%[1]s</h1>
<p>%[2]s</p>
<p>%[3]s</p>
`
