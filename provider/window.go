package provider

import "github.com/aloudchat/aloud/internal/quantity"

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

// Fill is how much of its context window a conversation takes.
type Fill struct {
	Tokens    int  // 0 if unknown
	Estimated bool // Tokens were not counted by the server
	Window    Window
}

// String formats it: "3.2k/16.4k", "about 3.2k/about 32k", or "" if it is unknown.
func (f Fill) String() string {
	if f.Tokens == 0 || f.Window.Tokens == 0 {
		return ""
	}
	tokens := quantity.Count(f.Tokens)
	if f.Estimated {
		tokens = "about " + tokens
	}
	return tokens + "/" + f.Window.String()
}
