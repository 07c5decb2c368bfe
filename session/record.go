package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// record is one line of a file.
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
	End      *turnEnd           `json:"end,omitempty"`
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
	typeResume    recordType = "resume"
)

// turnEnd is what is kept of a provider.Result; the messages hold the rest.
type turnEnd struct {
	Stop    provider.Stop      `json:"stop"`
	Rounds  int                `json:"rounds"`
	Usage   provider.TurnUsage `json:"usage"`
	Timing  provider.Timing    `json:"timing_ms"`
	Calls   []callEnd          `json:"calls,omitempty"`
	Sources []string           `json:"sources,omitempty"`
}

// callEnd is what statistics need of a call. Small, so that they need not read the results of tools.
type callEnd struct {
	Name       string              `json:"name"`
	Server     string              `json:"server,omitempty"` // "": a turn's own tool, or none that exists
	Status     provider.CallStatus `json:"status"`
	DurationMS int64               `json:"duration_ms,omitempty"`
	Repaired   bool                `json:"repaired,omitempty"`
}

// These bound the line of an end, whatever models and tools come up with. A longer source would be of no use to
// anybody.
const (
	mostSources, longestSource = 200, 2000
	mostCalls, longestName     = 2000, 100
	mostSteps, longestTitle    = 500, 200
	longestDetail              = 4000
)

func endOf(r provider.Result) *turnEnd {
	end := &turnEnd{Stop: r.Stop, Rounds: r.Rounds, Usage: r.Usage, Timing: r.Timing, Sources: slices.Clone(r.Sources)}
	end.Timing.Steps = slices.Clone(r.Timing.Steps)
	for _, c := range r.ToolCalls {
		end.Calls = append(end.Calls, callEnd{c.Name, c.Server, c.Status, c.DurationMS, len(c.Repairs) > 0})
	}
	end.bound()
	return end
}

// bound cuts what is too long and brings numbers that no turn can have into a range in which sums hold. It is used
// before an end is written, and after one is read: a file may say anything.
func (e *turnEnd) bound() {
	const mostMS, mostTokens, mostRounds = 1e9, 1e9, 999 // eleven days
	e.Stop.Reason, e.Stop.Detail = provider.Reason(sanitize.Cut(string(e.Stop.Reason), longestName)), sanitize.Cut(e.Stop.Detail, longestDetail)
	switch limit := e.Stop.Limit.(type) {
	case string:
		e.Stop.Limit = sanitize.Cut(limit, longestName)
	case map[string]any, []any:
		e.Stop.Limit = nil
	}
	e.Sources = slices.DeleteFunc(e.Sources[:min(len(e.Sources), mostSources)], func(s string) bool { return len(s) > longestSource })
	e.Calls = e.Calls[:min(len(e.Calls), mostCalls)]
	times := []*int64{&e.Timing.Load, &e.Timing.Prompt, &e.Timing.Answer, &e.Timing.Tools, &e.Timing.Total}
	for i := range e.Calls {
		c := &e.Calls[i]
		c.Name, c.Server = sanitize.Cut(c.Name, longestName), sanitize.Cut(c.Server, longestName)
		times = append(times, &c.DurationMS)
	}
	tokens := []*int{&e.Usage.PromptTokens, &e.Usage.AnswerTokens}
	e.Timing.Steps = e.Timing.Steps[:min(len(e.Timing.Steps), mostSteps)]
	for i := range e.Timing.Steps {
		s := &e.Timing.Steps[i]
		s.Kind, s.Status = provider.LapKind(sanitize.Cut(string(s.Kind), longestName)), provider.CallStatus(sanitize.Cut(string(s.Status), longestName))
		s.Title, s.Round = sanitize.Cut(s.Title, longestTitle), min(max(s.Round, 0), mostRounds)
		times, tokens = append(times, &s.MS), append(tokens, &s.Tokens)
	}
	for _, ms := range times {
		*ms = min(max(*ms, 0), mostMS)
	}
	for _, n := range tokens {
		*n = min(max(*n, 0), mostTokens)
	}
	e.Rounds = min(max(e.Rounds, 0), mostRounds)
}

// records says what an event means for the session: nothing for most.
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
		return []record{toolRecord(ev.Call)}
	case provider.ToolFinished:
		return []record{toolRecord(ev.Call)}
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

// withArguments returns the message with valid JSON as the arguments of its calls.
func withArguments(m provider.Message) provider.Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = validJSON(m.Calls[i].Arguments)
	}
	return m
}

func toolRecord(c provider.ToolCall) record {
	c.Arguments = validJSON(c.Arguments)
	return record{Type: typeTool, Call: &c}
}

// validJSON makes an object of no arguments, and a string of ones that a model wrote wrongly: a line must be JSON
// whatever a model says.
func validJSON(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return json.RawMessage("{}")
	case json.Valid(raw):
		return raw
	}
	quoted, _ := json.Marshal(string(raw)) // a string is always JSON
	return quoted
}
