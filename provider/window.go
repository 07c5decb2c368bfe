package provider

import "github.com/aloudchat/aloud/quantity"

// Window is the size of a context window.
type Window struct {
	Tokens  int
	Assumed bool // a guess, because the server does not report the size
}

// String formats the size: "16.4k", or "about 32k" for a guess.
func (w Window) String() string {
	if w.Assumed {
		return "about " + quantity.Size(w.Tokens)
	}
	return quantity.Count(w.Tokens)
}
