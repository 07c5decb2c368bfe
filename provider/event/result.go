package event

import (
	"encoding/json"

	"github.com/aloudchat/aloud/provider"
)

// Result is a finished turn. Its JSON form is the contract of --output json, described in docs/headless.md.
type Result struct {
	Answer      string     `json:"answer"`
	Model       string     `json:"model"`
	Session     string     `json:"session"`
	Stop        Stop       `json:"stop"`
	LastRequest bool       `json:"last_request,omitempty"` // a limit ended the turn and Answer is from the last request
	Rounds      int        `json:"rounds"`                 // rounds in which tools ran
	ToolCalls   []ToolCall `json:"tool_calls"`
	Sources     []string   `json:"sources"`
	Usage       TurnUsage  `json:"usage"`
	Timing      Timing     `json:"timing_ms"`
}

// CallStatus is the outcome of a tool call. Pending is only seen in events.
type CallStatus string

// The statuses of a call. The model got a result only with ok and cached.
const (
	CallPending   CallStatus = "pending"
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"
	CallDenied    CallStatus = "denied"
	CallCancelled CallStatus = "cancelled"
	CallSkipped   CallStatus = "skipped"
	CallCached    CallStatus = "cached"
)

// ToolCall is one call and its outcome.
type ToolCall struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Server     string          `json:"server"`
	BuiltIn    bool            `json:"-"`                   // the server is built in
	Title      string          `json:"title"`               // as displayed, "Read File"
	Arguments  json.RawMessage `json:"arguments,omitempty"` // as the tool received them; left out of saved ends
	Repairs    []string        `json:"repairs,omitempty"`   // repairs, a few words each
	Status     CallStatus      `json:"status"`
	Error      string          `json:"error"`
	Result     string          `json:"result"`
	DurationMS int64           `json:"duration_ms"`
}

// TurnUsage counts tokens over a turn.
type TurnUsage struct {
	PromptTokens int `json:"prompt_tokens"`
	AnswerTokens int `json:"answer_tokens"`
	// of AnswerTokens; About if the server did not count all of them
	AnswerMark  Mark `json:"answer_mark,omitempty"`
	ContextUsed int  `json:"context_used"` // prompt and answer of the last request, or an estimate
	ContextSize int  `json:"context_size"` // num_ctx of the last request
	// the server did not count everything in ContextUsed, such as an answer that was stopped
	ContextEstimated bool `json:"context_estimated,omitempty"`
	// the server does not report the size: ContextSize is a guess
	ContextAssumed bool `json:"context_assumed,omitempty"`
}

// Fill returns how much of the context window the conversation takes after the turn.
func (u TurnUsage) Fill() provider.Fill {
	return provider.Fill{Tokens: u.ContextUsed, Estimated: u.ContextEstimated,
		Window: provider.Window{Tokens: u.ContextSize, Assumed: u.ContextAssumed}}
}

// Timing has the times of a turn, in milliseconds.
type Timing struct {
	Load   int64 `json:"load"`
	Prompt int64 `json:"prompt"`
	Answer int64 `json:"answer"`
	Tools  int64 `json:"tools"`
	Total  int64 `json:"total"` // wall time, except while the program was suspended
	Steps  []Lap `json:"steps"` // in the order in which they ended
}

// Mark is how exact a number of tokens is.
type Mark string

// The marks, from the strongest to the weakest. They are in the order of strings.
const (
	Counted Mark = ""        // by the server
	About   Mark = "about"   // an estimate
	Unknown Mark = "unknown" // only in Reading
	UpTo    Mark = "up_to"   // an upper bound
)

// Lap is one part of a turn's work, measured by the model server, or by the turn for a tool.
type Lap struct {
	Kind   LapKind    `json:"kind"`
	Round  int        `json:"round"`            // tool rounds begun before it ended
	Title  string     `json:"title,omitempty"`  // of a tool, "Read File"
	Status CallStatus `json:"status,omitempty"` // of a tool
	Tokens int        `json:"tokens,omitempty"` // read or written
	Mark   Mark       `json:"mark,omitempty"`   // of Tokens
	Most   int        `json:"most,omitempty"`   // of a read about which Tokens is an estimate: its upper bound
	// of a load: the context, in tokens, with which the model was in memory before
	From int `json:"context_from,omitempty"`
	To   int `json:"context_to,omitempty"`
	// when it began, by Clock.Turn; 0 in all laps of a result from an earlier version
	StartMS int64 `json:"start_ms"`
	MS      int64 `json:"ms"`
}

// LapKind is the work in a Lap.
type LapKind string

// The kinds of laps.
const (
	LapLoad    LapKind = "load"  // loading the model
	LapRead    LapKind = "read"  // reading the new part of the prompt
	LapWrite   LapKind = "write" // thinking, calling or answering
	LapTool    LapKind = "tool"
	LapCompact LapKind = "compact" // writing a summary
)

// MarshalJSON writes empty lists as [], so that readers of --output json need not handle null.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result // without this method
	p := plain(r)
	p.ToolCalls = append([]ToolCall{}, p.ToolCalls...)
	p.Sources = append([]string{}, p.Sources...)
	p.Timing.Steps = append([]Lap{}, p.Timing.Steps...)
	return json.Marshal(p)
}
