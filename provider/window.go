package provider

import (
	"fmt"

	"github.com/aloudchat/aloud/internal/quantity"
)

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

// Percent returns the full part of the window, rounded up, so that it is 0 only if it is unknown.
func (f Fill) Percent() int {
	if f.Window.Tokens == 0 {
		return 0
	}
	return (100*f.Tokens + f.Window.Tokens - 1) / f.Window.Tokens
}

// String formats it: "20% of 16.4k", "about 10% of about 32k", or "" if it is unknown.
func (f Fill) String() string {
	percent := f.Percent()
	if percent == 0 {
		return ""
	}
	text := fmt.Sprintf("%d%% of %v", percent, f.Window)
	if f.Estimated {
		text = "about " + text
	}
	return text
}
