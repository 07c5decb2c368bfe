package openai

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// message is one of a request. Content is never null: some servers refuse a message without it.
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

// MarshalJSON writes a string, which every server takes, unless there are images.
func (c content) MarshalJSON() ([]byte, error) {
	if len(c.images) == 0 {
		return json.Marshal(c.text)
	}
	type address struct {
		URL string `json:"url"`
	}
	type part struct {
		Type     string   `json:"type"`
		Text     string   `json:"text,omitempty"`
		ImageURL *address `json:"image_url,omitempty"`
	}
	var parts []part
	if c.text != "" {
		parts = append(parts, part{Type: "text", Text: c.text})
	}
	for _, image := range c.images {
		data := "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image)
		parts = append(parts, part{Type: "image_url", ImageURL: &address{data}})
	}
	return json.Marshal(parts)
}

const (
	// readIt stands between the results of tools and a message of the user: many templates refuse one that follows a
	// result.
	readIt = "I have read the results."
	// earlier precedes a conversation that begins with the model's words.
	earlier = "(The beginning of the conversation is left out.)"
)

// messages writes a conversation so that strict servers and templates take it too: instructions first, then the user
// and the model in turns, results right behind the calls they belong to.
func messages(in []provider.Message, thought string) []message {
	w := writer{thought: thought}
	for _, m := range in {
		switch {
		case m.Role == provider.RoleSystem && len(w.out) == 0:
			w.out = append(w.out, message{Role: "system", Content: content{text: m.Text}})
		case m.Role == provider.RoleAssistant:
			w.assistant(m)
		case m.Role == provider.RoleTool:
			w.result(m)
		default:
			w.user(m.Text, m.Images)
		}
	}
	w.flushImages()
	return w.out
}

// writer builds the list of messages.
type writer struct {
	thought string // the field for thoughts, "" to leave them out
	out     []message
	open    []string // ids of calls without a result so far
	images  [][]byte // of results, to be shown when all results are there
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
		w.last().say(text)
		w.last().Content.images = slices.Concat(w.last().Content.images, images)
		return
	case "tool":
		w.out = append(w.out, message{Role: "assistant", Content: content{text: readIt}})
	}
	w.out = append(w.out, message{Role: "user", Content: content{text, images}})
}

func (w *writer) assistant(m provider.Message) {
	w.flushImages()
	if m.Text == "" && len(m.Calls) == 0 {
		return // a message must say something
	}
	switch w.last().Role {
	case "", "system":
		w.out = append(w.out, message{Role: "user", Content: content{text: earlier}})
	case "assistant":
		w.out = append(w.out, message{Role: "user", Content: content{text: "Go on."}})
	}
	out := message{Role: "assistant", Content: content{text: m.Text}}
	switch w.thought {
	case fieldReasoningContent:
		out.ReasoningContent = m.Thinking
	case fieldReasoning:
		out.Reasoning = m.Thinking
	}
	w.open = nil
	for _, call := range m.Calls {
		t := toolCall{ID: call.ID, Type: "function"}
		t.Function.Name, t.Function.Arguments = call.Name, sentArguments(call.Arguments)
		out.ToolCalls = append(out.ToolCalls, t)
		w.open = append(w.open, t.ID)
	}
	w.out = append(w.out, out)
}

// result answers a call. One whose call is not there any more becomes a message of the user: servers refuse an answer
// to nothing.
func (w *writer) result(m provider.Message) {
	at := slices.Index(w.open, m.CallID)
	if at < 0 {
		w.user("Result of "+m.Tool+":\n"+m.Text, m.Images)
		return
	}
	w.open = slices.Delete(w.open, at, at+1)
	w.out = append(w.out, message{Role: "tool", ToolCallID: m.CallID, Content: content{text: m.Text}})
	w.images = slices.Concat(w.images, m.Images)
}

// flushImages shows the images of results, which servers take from the user only.
func (w *writer) flushImages() {
	if len(w.images) == 0 {
		return
	}
	images := w.images
	w.images = nil
	w.user("These images belong to the results.", images)
}

func (m *message) say(more string) {
	m.Content.text = strings.TrimPrefix(m.Content.text+"\n\n"+more, "\n\n")
}

// sentArguments are a call's arguments as templates can read them. Anything but an object, as a cancelled call may
// leave behind, becomes {}.
func sentArguments(raw json.RawMessage) string {
	if !isObject(raw) {
		return "{}"
	}
	return string(raw)
}
