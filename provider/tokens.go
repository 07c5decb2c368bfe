package provider

import (
	"cmp"

	"github.com/aloudchat/aloud/mcpclient"
)

// ImageTokens is about the number of tokens of an image in current vision models.
const ImageTokens = 768

// markup is the number of tokens around each message or tool.
const markup = 8

// textTokens estimates the tokens of a text of this many bytes. English prose has about 4 bytes per token, code and
// JSON about 3. 3.5 is a safe choice for a chat with tools.
func textTokens(bytes int) int { return bytes/7*2 + bytes%7*2/7 }

// Estimate estimates the tokens of messages and tools. It uses only lengths, so it is fast for long conversations.
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

// SpecOf returns the tool as a model sees it.
func SpecOf(t mcpclient.Tool) ToolSpec {
	title := mcpclient.Title(t.Title, cmp.Or(t.ServerTool, t.Name))
	return ToolSpec{Name: t.Name, ServerTool: t.ServerTool, Title: title, Description: t.Description, Schema: t.Schema}
}

// Tokens estimates the tokens that the tool takes in every request.
func (s ToolSpec) Tokens() int {
	return markup + textTokens(len(s.Name)+len(s.Description)+len(s.Schema))
}
