package mcpclient

import (
	"context"
	"errors"
	"net/http"
)

// The kinds of login errors. Their text needs no prefix.
var (
	ErrLoginNeeded = errors.New("login needed")
	ErrLogin       = errors.New("login failed")
)

// Login authenticates to one server over HTTP. All methods are safe for concurrent use.
type Login interface {
	// Transport returns base with the token on each request. It renews the token when necessary. If that needs you, the
	// error of the request matches ErrLoginNeeded.
	Transport(base http.RoundTripper) http.RoundTripper
	// LogIn logs in through the browser, and stores the tokens.
	LogIn(ctx context.Context, browser Browser) error
	// Secrets returns the values to hide in the server's texts, none of them empty. It is called often.
	Secrets() []string
}

// Browser shows the page for a login.
type Browser interface {
	// Visit shows the address, opens it if possible, and returns at once. The page redirects to aloud. If secretTo is not
	// "", it is the login server that will get the configured credentials for the first time, and must be shown first.
	Visit(address, secretTo string) error
	// Pasted waits until you paste the address that the browser was redirected to, for a browser that cannot reach aloud.
	Pasted(ctx context.Context) (string, error)
	// Tell shows what is wrong with the pasted address. Pasted is then called again.
	Tell(wrong error)
}
