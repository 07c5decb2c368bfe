// Package recording has the format of recorded turns: what came from a model server and from tool servers, and when.
// The tests of e2e record them, and those of provider/loop play them.
package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/repair"
	"github.com/aloudchat/aloud/status"
)

// A Turn is the start of a turn and your actions in it, the first line of a recording.
type Turn struct {
	Question string         `json:"question"`
	Model    string         `json:"model"`
	Context  int            `json:"context"`
	Think    provider.Think `json:"think,omitempty"`
	Style    status.Style   `json:"style,omitempty"`
	Earlier  int            `json:"earlier,omitempty"` // number of long turns before this one
	Rounds   int            `json:"rounds,omitempty"`  // limits; 0 means the default
	Time     Span           `json:"time,omitempty"`
	Silence  Span           `json:"silence,omitempty"`
	Answers  Span           `json:"answers,omitempty"` // time until you answer an approval
	Refuses  bool           `json:"refuses,omitempty"` // you deny the call
	Stop     Span           `json:"stop,omitempty"`    // when you stop the turn
	Load     Span           `json:"load,omitempty"`    // measured time to load the model
	Read     Span           `json:"read,omitempty"`    // measured time to read 1,000 tokens
}

// Chat returns the chat of the turn, without model and tools. Its limits are shorter by the factor speedup.
func (t Turn) Chat(speedup int) *loop.Chat {
	scaled := func(s Span) time.Duration { return time.Duration(s) / time.Duration(speedup) }
	return &loop.Chat{
		Name: t.Model, Context: t.Context, Think: t.Think, Interactive: true, Repair: repair.New(),
		Shared: new(loop.Shared),
		Policy: mcpclient.NewPolicy(mcpclient.ApprovalAuto, nil, nil, nil),
		Limits: loop.Limits{Iterations: t.Rounds, TotalTime: scaled(t.Time), Silence: scaled(t.Silence)},
	}
}

// Conversation returns the long turns before this one.
func (t Turn) Conversation() (conv provider.Conversation) {
	for n := range t.Earlier {
		conv = conv.With(
			provider.Message{Role: provider.RoleUser, Text: fmt.Sprintf("And what of part %d?", n+1)},
			provider.Message{Role: provider.RoleAssistant,
				Text: strings.Repeat("It is much as the part before it, only longer. ", 90)})
	}
	return conv
}

// A Span is a duration such as "1.5s".
type Span time.Duration

// MarshalText implements encoding.TextMarshaler.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = Span(d)
	return err
}

// A Line is a line of a recording.
type Line struct {
	Turn  *Turn           `json:"turn,omitempty"`
	Ready []Span          `json:"ready,omitempty"` // when each tool server was ready, since the start of the turn
	Tool  *mcpclient.Tool `json:"tool,omitempty"`

	Request string `json:"request,omitempty"` // "POST /api/chat"
	For     string `json:"for,omitempty"`     // the purpose of a chat request
	Status  int    `json:"status,omitempty"`
	Type    string `json:"type,omitempty"`

	Call      string          `json:"call,omitempty"` // the tool's name
	Arguments json.RawMessage `json:"arguments,omitempty"`

	At       Span                `json:"at,omitempty"` // since the request or the call began
	Line     json.RawMessage     `json:"line,omitempty"`
	Progress *mcpclient.Progress `json:"progress,omitempty"`
	Result   *mcpclient.Result   `json:"result,omitempty"`
	Error    string              `json:"error,omitempty"` // if the call has no result
	End      string              `json:"end,omitempty"`   // "lost": no reply; "cut": broken off; "left": cancelled
}

// Read reads a recording.
func Read(file string) (lines []Line, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	for d.More() {
		var line Line
		if err := d.Decode(&line); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Purpose returns what a request is for: "answer", "sentence" or "summary", or "" if it is no chat request.
func Purpose(path string, body []byte) string {
	if path != "/api/chat" {
		return ""
	}
	var chat struct{ Messages []struct{ Content string } }
	if json.Unmarshal(body, &chat) != nil || len(chat.Messages) == 0 {
		return "nothing"
	}
	last := chat.Messages[len(chat.Messages)-1].Content
	switch {
	case strings.HasPrefix(strings.TrimPrefix(last, "(still running)\n\n"), "You are now running the tool"):
		return "sentence"
	case strings.HasPrefix(last, "Summarise our conversation"):
		return "summary"
	}
	return "answer"
}
