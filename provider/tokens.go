package provider

import (
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/window"
)

// Estimate is how many tokens the messages and tools will cost. It looks at lengths only, so a long conversation costs no more than a short one.
func Estimate(messages []Message, tools []ToolSpec) int {
	sum := 0
	for i := range messages {
		sum += messages[i].estimate()
	}
	for i := range tools {
		sum += tools[i].Tokens()
	}
	return sum
}

func (m *Message) estimate() int {
	n := len(m.Text) + len(m.Thinking) + len(m.Tool)
	for _, call := range m.Calls {
		n += len(call.Name) + len(call.Arguments)
	}
	return window.Markup + window.Tokens(n) + window.Image*len(m.Images)
}

// ToolTokens is about how many tokens of the context the tool costs in every request of a turn.
func ToolTokens(t mcpclient.Tool) int {
	return SpecOf(t).Tokens()
}

// SpecOf is the tool as a model sees it.
func SpecOf(t mcpclient.Tool) ToolSpec {
	return ToolSpec{Name: t.Name, ServerTool: t.ServerTool, Description: t.Description, Schema: t.Schema}
}

// Tokens is about how many tokens of the context the tool costs in every request.
func (s ToolSpec) Tokens() int {
	return window.Markup + window.Tokens(len(s.Name)+len(s.Description)+len(s.Schema))
}
