package conn

import (
	"context"
	"errors"
	"net/http"
)

// The kinds of an error about a login. Its text is whole: it needs nothing in front.
var (
	ErrLoginNeeded = errors.New("a login is needed")
	ErrLogin       = errors.New("the login did not work")
)

// LoginError returns the error about a login in err, if it is one.
func LoginError(err error) (*Error, bool) {
	e, ok := errors.AsType[*Error](err)
	return e, ok && (errors.Is(e.Kind, ErrLogin) || errors.Is(e.Kind, ErrLoginNeeded))
}

// Login authenticates to one server over HTTP. All methods are safe for concurrent use.
type Login interface {
	// Transport returns base with the token on each request: the one that is kept, refreshed when it is time, and requested
	// with a wider scope as far as that goes without you. If it needs you, the request's error matches ErrLoginNeeded.
	Transport(base http.RoundTripper) http.RoundTripper
	// LogIn logs in through the browser, and keeps the tokens. It ends with ctx.
	LogIn(ctx context.Context, person Browser) error
}

// Secretive is what a Login may be besides: what it names is hidden in whatever the server says.
type Secretive interface {
	// Secrets are the values in use now, none of them empty. It is called often, and from any goroutine.
	Secrets() []string
}

// Browser shows the page for logging in.
type Browser interface {
	// Visit shows the address, and opens it where there is a browser. It returns at once: the redirect comes back by itself.
	// secretTo is the login server that will get the credentials of the configured client and has not had them before: it is shown before
	// anything is opened. It is "" when there is nothing to show.
	Visit(address, secretTo string) error
	// Pasted returns the address that the browser was sent to in the end, pasted by a user whose browser cannot reach aloud. It waits until
	// there is one, or ctx's end.
	Pasted(ctx context.Context) (string, error)
	// Tell says what is wrong with what was pasted. Pasted is called again.
	Tell(wrong error)
}
