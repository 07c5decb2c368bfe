// Package login is the border between who connects to servers and who knows how to get into them: a Login lets us in, a Browser shows a person where.
// mcpclient/oauth is the Login that there is.
package login

import (
	"context"
	"errors"
	"net/http"
)

// ErrNeeded is matched by errors of servers that a person must log in to first.
var ErrNeeded = errors.New("a login is needed")

// Error is an error of getting in, as opposed to one of the server behind. It is whole as it is: nothing needs to be put in front.
type Error struct {
	Text   string
	Person bool  // it takes one to log in: the error matches ErrNeeded
	Cause  error // may be nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap makes it match ErrNeeded, or its cause.
func (e *Error) Unwrap() error {
	if e.Person {
		return ErrNeeded
	}
	return e.Cause
}

// Login gets us into one server over HTTP. All methods are safe for concurrent use.
type Login interface {
	// Transport returns base with what each request needs to be let in: the token that is kept, refreshed when it is time, and asked for anew
	// with a wider scope as far as that goes without a person. Where it takes one, the request's error matches ErrNeeded.
	Transport(base http.RoundTripper) http.RoundTripper
	// LogIn has a person log in through person, and keeps the tokens. It ends with ctx.
	LogIn(ctx context.Context, person Browser) error
	// LogOut forgets the tokens, here and, where the server offers that, there.
	LogOut(ctx context.Context) error
}

// Secretive is what a Login may be besides: what it names is hidden in whatever the server says.
type Secretive interface {
	// Secrets are the values in use now, none of them empty. It is called often, and from any goroutine.
	Secrets() []string
}

// Browser shows a person the page where they log in.
type Browser interface {
	// Visit shows the address, and opens it where there is a browser. It returns at once: the redirect comes back by itself.
	// secretTo is the login server that will get the credentials of the configured client and has not had them before: it is shown before
	// anything is opened. It is "" when there is nothing to show.
	Visit(address, secretTo string) error
	// Pasted returns the address that the browser was sent to in the end, pasted by a person whose browser cannot reach us. It waits until
	// there is one, or ctx's end.
	Pasted(ctx context.Context) (string, error)
	// Tell says what is wrong with what was pasted. Pasted is called again.
	Tell(wrong error)
}
