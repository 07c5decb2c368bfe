package provider

import (
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/window"
)

// ToolTokens is about how many tokens of the context the tool costs in every request of a turn.
func ToolTokens(t mcpclient.Tool) int {
	spec := specOf(t)
	return spec.estimate()
}

func specOf(t mcpclient.Tool) ToolSpec {
	return ToolSpec{Name: t.Name, ServerTool: t.ServerTool, Description: t.Description, Schema: t.Schema}
}

func (s *ToolSpec) estimate() int {
	return window.Markup + window.Tokens(len(s.Name)+len(s.Description)+len(s.Schema))
}

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
