package provider

import "github.com/aloudchat/aloud/mcpclient"

// ImageTokens is about what current vision models spend on an image.
const ImageTokens = 768

// markup is how many tokens stand around a message or a tool.
const markup = 8

// textTokens estimates what text of so many bytes costs. English prose has about 4 bytes to a token, code and JSON about 3; 3.5 errs to the safe
// side for what a chat with tools holds.
func textTokens(bytes int) int { return bytes/7*2 + bytes%7*2/7 }

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
	return markup + textTokens(n) + ImageTokens*len(m.Images)
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
	return markup + textTokens(len(s.Name)+len(s.Description)+len(s.Schema))
}
