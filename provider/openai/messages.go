package openai

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// message is a message in a request. Content is never null, because some servers refuse that.
type message struct {
	Role             string     `json:"role"`
	Content          content    `json:"content"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	Reasoning        string     `json:"reasoning,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// content is text followed by images.
type content struct {
	text   string
	images [][]byte
}

// MarshalJSON implements json.Marshaler. Without images it writes a string, which every server supports.
func (c content) MarshalJSON() ([]byte, error) {
	if len(c.images) == 0 {
		return json.Marshal(c.text)
	}
	var parts []map[string]any
	if c.text != "" {
		parts = append(parts, map[string]any{"type": "text", "text": c.text})
	}
	for _, image := range c.images {
		data := "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image)
		parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": data}})
	}
	return json.Marshal(parts)
}

const (
	// afterResults separates tool results from a user message, because many templates refuse one after the other.
	afterResults = "I have read the results."
	// beforeAssistant precedes a conversation that begins with the assistant.
	beforeAssistant = "(The beginning of the conversation is left out.)"
)

// messages converts a conversation to a form that strict servers and templates accept: the system prompt first, then
// user and assistant in turns. As in a provider.View, no message is empty, and results come directly after their calls.
func messages(in []provider.Message, thinkingField string) []message {
	w := writer{thinkingField: thinkingField}
	for _, m := range in {
		switch {
		case m.Role == provider.RoleSystem && len(w.out) == 0:
			w.out = append(w.out, message{Role: "system", Content: content{text: m.Text}})
		case m.Role == provider.RoleAssistant:
			w.assistant(m)
		case m.Role == provider.RoleTool:
			w.out = append(w.out, message{Role: "tool", ToolCallID: m.CallID, Content: content{text: m.Text}})
			w.images = slices.Concat(w.images, m.Images)
		default:
			w.user(m.Text, m.Images)
		}
	}
	w.flushImages()
	return w.out
}

// writer builds the list of messages.
type writer struct {
	thinkingField string // the field for thinking, "" to omit it
	out           []message
	images        [][]byte // images of results, to send after all results
}

func (w *writer) last() *message {
	if len(w.out) == 0 {
		return &message{}
	}
	return &w.out[len(w.out)-1]
}

func (w *writer) user(text string, images [][]byte) {
	w.flushImages()
	switch w.last().Role {
	case "user":
		w.last().add(text)
		w.last().Content.images = slices.Concat(w.last().Content.images, images)
		return
	case "tool":
		w.out = append(w.out, message{Role: "assistant", Content: content{text: afterResults}})
	}
	w.out = append(w.out, message{Role: "user", Content: content{text, images}})
}

func (w *writer) assistant(m provider.Message) {
	w.flushImages()
	switch w.last().Role {
	case "", "system":
		w.out = append(w.out, message{Role: "user", Content: content{text: beforeAssistant}})
	case "assistant":
		w.out = append(w.out, message{Role: "user", Content: content{text: "Go on."}})
	}
	out := message{Role: "assistant", Content: content{text: m.Text}}
	switch w.thinkingField {
	case fieldReasoningContent:
		out.ReasoningContent = m.Thinking
	case fieldReasoning:
		out.Reasoning = m.Thinking
	}
	for _, call := range m.Calls {
		t := toolCall{ID: call.ID, Type: "function"}
		t.Function.Name, t.Function.Arguments = call.Name, string(call.Object())
		out.ToolCalls = append(out.ToolCalls, t)
	}
	w.out = append(w.out, out)
}

// flushImages adds the images of results in a user message, because servers accept images only there.
func (w *writer) flushImages() {
	if len(w.images) == 0 {
		return
	}
	images := w.images
	w.images = nil
	w.user("These images belong to the results.", images)
}

func (m *message) add(text string) {
	m.Content.text = strings.TrimPrefix(m.Content.text+"\n\n"+text, "\n\n")
}
