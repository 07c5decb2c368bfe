package mcpclient

import (
	"context"
	"errors"
	"net/http"
)

// ErrLogin is matched by errors of servers that a person must log in to first.
var ErrLogin = errors.New("a login is needed")

// LoginError is an error of getting in, as opposed to one of the server behind. It is whole as it is: nothing needs to be put in front.
type LoginError struct {
	Text   string
	Person bool  // it takes one to log in: the error matches ErrLogin
	Cause  error // may be nil
}

func (e *LoginError) Error() string { return e.Text }

// Unwrap makes it match ErrLogin, or its cause.
func (e *LoginError) Unwrap() error {
	if e.Person {
		return ErrLogin
	}
	return e.Cause
}

// Login gets us into one server over HTTP. mcpclient/oauth implements it. All methods are safe for concurrent use.
type Login interface {
	// Transport returns base with what each request needs to be let in: the token that is kept, refreshed when it is time, and asked for anew
	// with a wider scope as far as that goes without a person. Where it takes one, the request's error matches ErrLogin.
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
	Visit(address string) error
	// Pasted returns the address that the browser was sent to in the end, pasted by a person whose browser cannot reach us. It waits until
	// there is one, or ctx's end.
	Pasted(ctx context.Context) (string, error)
}
