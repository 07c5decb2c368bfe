package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/login"
)

// callback is where the browser is sent in the end: an address on this machine, for the time of one login.
type callback struct {
	address  string
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	state  string // that only our own login page could tell
	issuer string // who must have sent it
	signed bool   // the issuer says who it is

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

// listen opens the place to come back to. A client that was registered for one before gets it again: most servers insist.
func (s *Session) listen(before record, at place) (*callback, error) {
	port := s.options.CallbackPort
	if u, err := url.Parse(before.Client.Redirect); err == nil && port == 0 && sameIssuer(before.Issuer, at.meta.Issuer) {
		port, _ = strconv.Atoi(u.Port())
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil && s.options.CallbackPort == 0 {
		listener, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("the port %d for the browser to come back to cannot be used: %w; callback_port sets another", port, err)
	}
	c := &callback{address: "http://" + listener.Addr().String() + callbackPath, listener: listener, came: make(chan outcome, 1), decided: make(chan struct{})}
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	return c, nil
}

const callbackPath = "/callback"

// expect says what a good answer looks like.
func (c *callback) expect(state, issuer string, signed bool) {
	c.state, c.issuer, c.signed = state, issuer, signed
}

func (c *callback) serve(name string) {
	c.server.Handler = pages(name, c)
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

// tell says how the login ended, to whoever looks at the page.
func (c *callback) tell(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.decided)
	})
}

// wait returns the code of the first good answer, come by the browser or pasted.
func (c *callback) wait(ctx context.Context, person login.Browser) (string, error) {
	pasting, stop := context.WithCancel(ctx)
	wrong := make(chan error, 1)
	var reading sync.WaitGroup
	reading.Go(func() { c.readPasted(pasting, person, wrong) })
	defer reading.Wait()
	defer stop()
	select {
	case o := <-c.came:
		return o.code, o.err
	case err := <-wrong:
		return "", err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readPasted takes addresses from the person until one is good.
func (c *callback) readPasted(ctx context.Context, person login.Browser, wrong chan<- error) {
	for {
		text, err := person.Pasted(ctx)
		if err != nil {
			return // nobody pastes: the browser may still come back
		}
		answer, err := readPasted(text)
		if err == nil && c.take(answer) {
			return
		}
		if err == nil {
			err = errors.New("that is the address of another login: paste the one that the browser shows after this login")
		}
		teller, ok := person.(Teller)
		if !ok {
			wrong <- err
			return
		}
		teller.Tell(err)
	}
}

// take looks at an answer. One that is not of this login changes nothing: anybody on this machine can send one.
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
		o = outcome{err: refusedByPerson(answer)}
	case o.code == "":
		o = outcome{err: errors.New("the answer has no code")}
	}
	select {
	case c.came <- o:
	default: // one was enough
	}
	return true
}

func refusedByPerson(answer url.Values) error {
	refused := &refusedError{answer.Get("error"), answer.Get("error_description")}
	if refused.code == "access_denied" {
		return fmt.Errorf("it was refused there (%w)", refused)
	}
	return refused
}
