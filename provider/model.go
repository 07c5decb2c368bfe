package provider

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"
)

// Model is a source of models: an Ollama server, the built-in demo, a script for tests.
type Model interface {
	// Chat requests one reply and streams it. The last chunk has Done set; a stream that ends without it yields an
	// error. Cancelling ctx or leaving the loop closes the connection at once. Safe for concurrent use.
	Chat(ctx context.Context, req Request) iter.Seq2[Chunk, error]
	// Describe returns what a model can do. The error is an *Error with KindMissing if there is no such model, and with
	// KindUnavailable if no server answers. Safe for concurrent use.
	Describe(ctx context.Context, name string) (Info, error)
}

// Library is an optional interface of a Model that can list its models.
type Library interface {
	// List returns the models without describing each in full. The error is usually an *Error.
	List(ctx context.Context) ([]Info, error)
}

// Puller is an optional interface of a Model that can download models.
type Puller interface {
	// Pull downloads a model and reports progress. The model is installed when the sequence ends without an error.
	// Cancelling ctx or leaving the loop stops the download.
	Pull(ctx context.Context, name string) iter.Seq2[PullProgress, error]
}

// Memory is an optional interface of a Model whose server keeps models in memory.
type Memory interface {
	// LoadedContext returns the context, in tokens, with which the model is in memory now, or 0 if it is not in memory or
	// the server does not report it. Safe for concurrent use.
	LoadedContext(ctx context.Context, model string) int
	// OnGPU returns which share of the model in memory is in that of the GPU, from 0 to 1. known is false if the model is
	// not in memory or the server does not report it. Safe for concurrent use.
	OnGPU(ctx context.Context, model string) (share float64, known bool)
}

// Manager is an optional interface of a Model whose server can remove models and keep them in memory.
type Manager interface {
	Remove(ctx context.Context, name string) error
	// Keep loads a model and keeps it in memory, or lets the server unload it after its usual time. It returns when the
	// model is loaded. Requests do not change that later.
	Keep(ctx context.Context, name string, on bool) error
}

// Info describes one model.
type Info struct {
	Name     string
	Tools    bool // can call tools
	Thinking bool
	Levels   bool // its thinking has levels, from ThinkLow to ThinkHigh
	Vision   bool
	Blind    bool // the server says that it accepts no images, although it does not list capabilities
	Context  int  // trained context length in tokens; 0 if unknown
	Remote   bool // runs on another server, to which this one forwards requests
	// requests cannot choose the context; Context is that of the server, if known
	Fixed bool
	// the server cannot cut the cached prompt of the model, which has a sliding window or a recurrent state: a prompt that
	// does not extend the last one is read again from its start
	Uncut bool
	// the server lists capabilities; if not, the model may have more than these
	Known    bool
	Loaded   bool   // in memory when it was listed
	Kept     bool   // and it stays there
	TooLarge bool   // it does not fit into the main memory
	PerToken int64  // bytes of memory for each token of context; 0 if unknown
	Memory   int64  // bytes available for the context; 0 if unknown
	Size     int64  // bytes on disk; 0 if unknown
	Params   string // "8.2B"
	Quant    string // "Q4_K_M"
}

// CannotThink reports whether the model is known to have no thinking.
func (i Info) CannotThink() bool { return i.Known && !i.Thinking }

// Refuses returns what to say after the name of a model that is known not to think as wanted; "" if it may.
func (i Info) Refuses(wanted Think) string {
	switch {
	case wanted != ThinkOn && !wanted.IsLevel():
	case i.CannotThink():
		return "cannot think and answers without thinking"
	case wanted.IsLevel() && i.Known && !i.Levels:
		return "has no thinking levels and thinks as much as usual"
	}
	return ""
}

// PullProgress is one step of a download.
type PullProgress struct {
	Status      string // as reported by the server
	Done, Total int64  // bytes; Total is 0 if unknown
}

// Think is whether, and for some models how much, the model is asked to think before it answers.
type Think string

// The values of Think. "" means ThinkAuto.
const (
	ThinkAuto   Think = "auto" // the model's own default
	ThinkOn     Think = "on"
	ThinkOff    Think = "off"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// IsLevel reports whether only models with levels of thinking take it.
func (t Think) IsLevel() bool { return t == ThinkLow || t == ThinkMedium || t == ThinkHigh }

// Purpose is the purpose of a reply. Servers do not see it: the demo and the test model choose their reply by it, and a
// client may retry less for a status sentence.
type Purpose int

// The purposes.
const (
	ForAnswer   Purpose = iota // a step of a turn
	ForSentence                // a few words for the status line while a tool runs
	ForSummary                 // a summary of older turns
)

// String returns the purpose as one word for the log.
func (p Purpose) String() string {
	return [...]string{ForAnswer: "answer", ForSentence: "sentence", ForSummary: "summary"}[p]
}

// Request is everything a model needs for one reply. A Model must not modify it.
type Request struct {
	Purpose     Purpose
	Model       string
	Messages    []Message
	Tools       []ToolSpec
	Think       Think
	Context     int      // num_ctx in tokens, always set
	MaxTokens   int      // 0 means no limit
	Temperature *float64 // nil means the model's default
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string
	ServerTool  string // its name on its server
	Title       string // as displayed
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
}

// Chunk is one piece of a reply. Usually one field is set.
type Chunk struct {
	Phase ChunkPhase // what the server is doing, or that the request was sent
	// with PhaseLoading: the context, in tokens, with which the model was in memory until now; 0 if it was not
	Context  int
	Text     string
	Thinking string
	Calls    []Call
	Done     bool   // the last chunk
	Reason   string // with Done: "stop", "length", …
	Usage    Usage  // with Done; otherwise of a request whose reply was discarded
	Notice   string // one sentence for the user

	// The rest comes from package repair.
	Withdraw          Withdraw // discards the chunks so far
	Attempt, Attempts int      // with PhaseRetrying
}

// Withdraw is the part of a reply to discard.
type Withdraw int

// The parts of a reply that may be withdrawn.
const (
	WithdrawText    Withdraw = iota + 1
	WithdrawRepeats          // text, which follows again with its repetition shortened
	WithdrawAll              // text, thinking and calls
)

// ChunkPhase is what the server is doing before text comes.
type ChunkPhase int

// The phases. A Model reports those that its server shows.
const (
	PhaseNone      ChunkPhase = iota
	PhaseLoading              // the model is not in memory yet
	PhaseReading              // the model reads the prompt
	PhaseBusy                 // the server is overloaded and will be asked again soon
	PhaseAsked                // the request was sent; aloud adds this
	PhaseCalling              // the model writes what may be a call
	PhaseRetrying             // the reply is requested again
	PhaseRepeating            // the next piece repeats what was before it
)

// Usage has the measurements of the server for one reply.
type Usage struct {
	PromptTokens int // of the whole prompt, but some servers exclude what they had cached
	ReadTokens   int // of the prompt that were not cached, if the server reports it; 0 if unknown
	AnswerTokens int
	Load         time.Duration
	Prompt       time.Duration
	Answer       time.Duration
}

// Kind is the kind of an Error.
type Kind int

// The kinds that callers act on. Everything else is KindFailed.
const (
	KindFailed       Kind = iota // the server returned an error, or an invalid response
	KindUnavailable              // no server responds
	KindMissing                  // the server does not have the model
	KindNoTools                  // the model cannot use tools
	KindNoThinking               // the model cannot think, or cannot stop thinking
	KindTooLong                  // the conversation does not fit the context
	KindBroken                   // the connection or the stream ended before the reply did
	KindTooLarge                 // one line or event of the reply has more than MaxLine bytes
	KindMalformed                // the server could not parse the model's call; Text says why
	KindMemory                   // the model needs more memory than there is
	KindUnauthorized             // the server requires a key or a login, or rejects it
	KindBusy                     // the server has too many requests
)

// String returns the kind as one word for the log.
func (k Kind) String() string {
	return [...]string{
		KindFailed: "failed", KindUnavailable: "unavailable", KindMissing: "missing", KindNoTools: "no_tools",
		KindNoThinking: "no_thinking", KindTooLong: "too_long", KindBroken: "broken",
		KindTooLarge: "too_large", KindMalformed: "malformed",
		KindMemory: "memory", KindUnauthorized: "unauthorized", KindBusy: "busy",
	}[k]
}

// Error is a failure of a model or its server: one sentence and the next step. Match it with errors.As.
type Error struct {
	Kind Kind
	Text string // `cannot reach the Ollama server at "http://127.0.0.1:11434"`
	Hint string // "start it with: ollama serve"
	Err  error  // the cause, or nil

	// with KindTooLong: the tokens of the request and of the context window as the server counts; 0 if unknown
	Tokens, Window int
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Detail returns the sentence and the hint on one line, as in the Detail of a Stop.
func (e *Error) Detail() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "; " + e.Hint
}

// Letters returns a name in lower case without separators, which models mix up.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. /:", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// ShortestLoad distinguishes real loads from models that were in memory already, for which servers report a few
// milliseconds.
const ShortestLoad = 20 * time.Millisecond

// Loaded reports whether the model was loaded for the reply.
func (u Usage) Loaded() bool { return u.Load >= ShortestLoad }
