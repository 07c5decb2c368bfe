package provider

import (
	"github.com/aloudchat/aloud/provider/window"
)

// Window is how many tokens of context the chat's model has now, or would have for a short question when nothing was asked yet.
// It must not be called while a turn runs.
func (c *Chat) Window() int {
	k := c.of(c.Name)
	switch {
	case k.window > 0:
		return k.window
	case k.fixed():
		return k.limit()
	}
	return min(window.SmallestWindow, k.limit())
}
