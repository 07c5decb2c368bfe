package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// record is a line of a file.
type record struct {
	Type     recordType        `json:"type"`
	Time     time.Time         `json:"time"`
	Version  int               `json:"version,omitempty"`
	ID       string            `json:"id,omitempty"`
	Folder   string            `json:"folder,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Model    string            `json:"model,omitempty"`
	Delta    string            `json:"delta,omitempty"`
	Message  *provider.Message `json:"message,omitempty"`
	Call     *event.ToolCall   `json:"call,omitempty"`
	End      *event.Result     `json:"end,omitempty"`
	Keep     *int              `json:"keep,omitempty"`
	Branch   int               `json:"branch,omitempty"`
	Parent   int               `json:"parent,omitempty"`
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
	typeBranch    recordType = "branch"
)

// Limits for the record of an end. Longer sources are left out. If the record is too long, all lists are.
const mostEnd, longestSource, longestDetail = 128 << 10, 2000, 4000

// endOf returns a result without the parts that other records have: model, answer, arguments and results.
func endOf(r event.Result) *event.Result {
	r.Model, r.Answer = "", ""
	r.Stop.Detail, r.Stop.Error = sanitize.Cut(r.Stop.Detail, longestDetail), "" // the detail has the error
	r.Stop.Hint = sanitize.Cut(r.Stop.Hint, longestDetail)
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

func messageRecords(messages []provider.Message) []record {
	var all []record
	for _, m := range messages {
		all = append(all, record{Type: typeMessage, Message: &m})
	}
	return all
}
