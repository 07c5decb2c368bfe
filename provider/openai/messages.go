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
	// afterResults separates tool results from a user message.
	afterResults = "I have read the results."
	// beforeAssistant precedes a conversation that begins with the assistant.
	beforeAssistant = "(The beginning of the conversation is left out.)"
)

// fillers are messages between two others, by the roles of these, that many templates refuse one after the other.
var fillers = map[[2]string]message{
	{"", "assistant"}:          {Role: "user", Content: content{text: beforeAssistant}},
	{"system", "assistant"}:    {Role: "user", Content: content{text: beforeAssistant}},
	{"assistant", "assistant"}: {Role: "user", Content: content{text: "Go on."}},
	{"tool", "user"}:           {Role: "assistant", Content: content{text: afterResults}},
}

// messages converts a conversation to a form that strict servers and templates accept: the system prompt first, then
// user and assistant in turns. As in a provider.View, no message is empty, and results come directly after their calls.
func messages(in []provider.Message, thinkingField string) []message {
	var w writer
	for i, m := range in {
		switch {
		case m.Role == provider.RoleSystem && i == 0:
			w.add(message{Role: "system", Content: content{text: m.Text}})
		case m.Role == provider.RoleAssistant:
			w.add(replied(m, thinkingField))
		case m.Role == provider.RoleTool:
			w.add(message{Role: "tool", ToolCallID: m.CallID, Content: content{text: m.Text}})
			w.images = slices.Concat(w.images, m.Images)
		default:
			w.add(message{Role: "user", Content: content{m.Text, m.Images}})
		}
	}
	w.flushImages()
	return w.out
}

// replied returns a message of the assistant. thinkingField is the field for thinking, "" to omit it.
func replied(m provider.Message, thinkingField string) message {
	out := message{Role: "assistant", Content: content{text: m.Text}}
	switch thinkingField {
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
	return out
}

// writer builds the list of messages.
type writer struct {
	out    []message
	images [][]byte // images of results, to send after all results
}

// add adds a message, after a filler if necessary, or joins two messages of the user.
func (w *writer) add(m message) {
	if m.Role != "tool" {
		w.flushImages()
	}
	last := &message{}
	if len(w.out) > 0 {
		last = &w.out[len(w.out)-1]
	}
	if m.Role == "user" && last.Role == "user" {
		last.Content.text = strings.TrimPrefix(last.Content.text+"\n\n"+m.Content.text, "\n\n")
		last.Content.images = slices.Concat(last.Content.images, m.Content.images)
		return
	}
	if filler, refused := fillers[[2]string{last.Role, m.Role}]; refused {
		w.out = append(w.out, filler)
	}
	w.out = append(w.out, m)
}

// flushImages adds the images of results in a user message, because servers accept images only there.
func (w *writer) flushImages() {
	if images := w.images; len(images) > 0 {
		w.images = nil
		w.add(message{Role: "user", Content: content{"These images belong to the results.", images}})
	}
}
