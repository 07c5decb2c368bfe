package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// record is a line of a file.
type record struct {
	Type     recordType         `json:"type"`
	Time     time.Time          `json:"time"`
	Version  int                `json:"version,omitempty"`
	ID       string             `json:"id,omitempty"`
	Folder   string             `json:"folder,omitempty"`
	Provider string             `json:"provider,omitempty"`
	Model    string             `json:"model,omitempty"`
	Delta    string             `json:"delta,omitempty"`
	Message  *provider.Message  `json:"message,omitempty"`
	Call     *provider.ToolCall `json:"call,omitempty"`
	End      *provider.Result   `json:"end,omitempty"`
	Keep     *int               `json:"keep,omitempty"`
}

type recordType string

const (
	typeMeta      recordType = "meta"
	typeModel     recordType = "model"
	typeText      recordType = "text"
	typeThinking  recordType = "thinking"
	typeWithdrawn recordType = "withdrawn"
	typeMessage   recordType = "message"
	typeTool      recordType = "tool"
	typeEnd       recordType = "end"
	typeRewind    recordType = "rewind"
)

// Limits for the record of an end. Longer sources are left out. If the record is too long, all lists are.
const mostEnd, longestSource, longestDetail = 128 << 10, 2000, 4000

// endOf returns a result without the parts that other records have: model, answer, arguments and results.
func endOf(r provider.Result) *provider.Result {
	r.Model, r.Answer, r.Stop.Detail = "", "", sanitize.Cut(r.Stop.Detail, longestDetail)
	r.ToolCalls = slices.Clone(r.ToolCalls)
	for i := range r.ToolCalls {
		r.ToolCalls[i].Arguments, r.ToolCalls[i].Result = nil, ""
	}
	isLong := func(source string) bool { return len(source) > longestSource }
	r.Sources = slices.DeleteFunc(slices.Clone(r.Sources), isLong)
	if encoded, err := json.Marshal(r); err != nil || len(encoded) > mostEnd {
		r.Timing.Steps, r.ToolCalls, r.Sources = nil, nil, nil
	}
	return &r
}

// records returns the records of an event. Most have none.
func records(ev provider.Event) []record {
	switch ev := ev.(type) {
	case provider.Text:
		return []record{{Type: typeText, Delta: ev.Delta}}
	case provider.Thinking:
		return []record{{Type: typeThinking, Delta: ev.Delta}}
	case provider.Withdrawn:
		return []record{{Type: typeWithdrawn}}
	case provider.Appended:
		return messageRecords(ev.Messages)
	case provider.ToolCalled:
		return toolRecord(ev.Call)
	case provider.ToolFinished:
		return toolRecord(ev.Call)
	}
	return nil
}

func messageRecords(messages []provider.Message) []record {
	var all []record
	for _, m := range messages {
		m = withArguments(m)
		all = append(all, record{Type: typeMessage, Message: &m})
	}
	return all
}

// withArguments returns m with valid JSON in the arguments of its calls.
func withArguments(m provider.Message) provider.Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = validJSON(m.Calls[i].Arguments)
	}
	return m
}

func toolRecord(c provider.ToolCall) []record {
	c.Arguments = validJSON(c.Arguments)
	return []record{{Type: typeTool, Call: &c}}
}

// validJSON returns an empty object for missing arguments, and a string for invalid ones, because a line must be JSON.
func validJSON(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return json.RawMessage("{}")
	case json.Valid(raw):
		return raw
	}
	quoted, _ := json.Marshal(string(raw)) // strings never fail
	return quoted
}
