package provider

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"
)

// Model is a place where models live: an Ollama server, the built-in demo, a script for tests.
type Model interface {
	// Chat asks for one reply and streams it. The last chunk has Done set; a stream that ends without one is an error of the sequence.
	// Cancelling ctx or leaving the loop closes the connection at once. Safe for concurrent use.
	Chat(ctx context.Context, req Request) iter.Seq2[Chunk, error]
	// Describe tells what a model can do. *Error with KindMissing when there is no such model, KindUnavailable when no server answers.
	// Safe for concurrent use.
	Describe(ctx context.Context, name string) (Info, error)
}

// Library is the optional second interface of a Model whose models can be listed.
type Library interface {
	// List tells what there is, without asking what each can do: that is left to Describe. The error is usually an *Error.
	List(ctx context.Context) ([]Info, error)
}

// Puller is the optional third interface of a Model that can fetch models.
type Puller interface {
	// Pull fetches a model and tells how far it is; it is there when the sequence ends without an error.
	// Cancelling ctx or leaving the loop stops it.
	Pull(ctx context.Context, name string) iter.Seq2[PullProgress, error]
}

// Memory is the optional fourth interface of a Model whose server keeps models in memory.
type Memory interface {
	// LoadedContext returns the context, in tokens, that the model has in memory now; 0 if it is not there or the server does not tell.
	// Safe for concurrent use.
	LoadedContext(ctx context.Context, model string) int
}

// Info is what is known of one model.
type Info struct {
	Name     string
	Tools    bool // can call tools
	Thinking bool
	Vision   bool
	Context  int    // trained context length in tokens; 0: unknown
	Remote   bool   // runs on another server, to which the one that is asked passes requests on
	Fixed    bool   // requests cannot choose the context; Context is the server's, as far as it tells
	Known    bool   // the server says what its models can do; else some may be able to do more than is said here
	PerToken int64  // bytes of memory that each token of the context takes; 0: unknown
	Memory   int64  // bytes that the context may take where the model runs; 0: unknown
	Size     int64  // bytes on disk; 0: unknown
	Params   string // "8.2B"
	Quant    string // "Q4_K_M"
}

// CannotThink reports whether the model is known to give no thoughts.
func (i Info) CannotThink() bool { return i.Known && !i.Thinking }

// PullProgress is one step of a download.
type PullProgress struct {
	Status      string // the server's words
	Done, Total int64  // bytes; Total 0: unknown
}

// Think says whether the model is asked to think before it answers.
type Think string

// ThinkAuto is also what "" means.
const (
	ThinkAuto Think = "auto" // the model's own default
	ThinkOn   Think = "on"
	ThinkOff  Think = "off"
)

// Purpose says what a reply is for. Model servers are not told: the demo and the model for tests answer by it, and a client may ask less carefully for
// what is only a sentence.
type Purpose int

// The purposes there are.
const (
	ForAnswer   Purpose = iota // a step of a turn
	ForSentence                // a few words for the status line while a tool runs
	ForSummary                 // a summary of older turns, when the conversation is compacted
)

// String is the purpose in a word, for the log.
func (p Purpose) String() string {
	return [...]string{ForAnswer: "answer", ForSentence: "sentence", ForSummary: "summary"}[p]
}

// Request is everything a model needs for one reply. A Model does not change it.
type Request struct {
	Purpose     Purpose
	Model       string
	Messages    []Message
	Tools       []ToolSpec
	Think       Think
	Context     int      // num_ctx in tokens, always set
	MaxTokens   int      // 0: no bound
	Temperature *float64 // nil: the model's default

	// The rest is for what repairs replies, and not for servers.
	Hint           string     // said to the model once, behind Messages
	Withheld       []ToolSpec // tools of the conversation that are not offered this once; nil with Tools
	ThinkLess      Think      // what Think is where the model is to think as little as it can
	ThinkingTokens int        // after which it is asked to answer; 0: no limit
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string
	ServerTool  string // its name on its server
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
}

// Chunk is one piece of a reply. Usually one field is set.
type Chunk struct {
	Phase    ChunkPhase // the server told, or was asked, where it is
	Context  int        // with PhaseLoading: the context that the model had in memory until now, in tokens; 0: it was not there
	Text     string
	Thinking string
	Calls    []Call
	Done     bool   // the last chunk
	Reason   string // with Done: "stop", "length", …
	Usage    Usage  // with Done; without it, that of a request whose reply was not enough

	// The rest comes from what repairs replies.
	Withdraw          Withdraw // what came so far does not count
	Notice            string   // one sentence for people
	Attempt, Attempts int      // with PhaseRetrying
}

// Withdraw says what of a reply does not count.
type Withdraw int

// The parts of a reply that are withdrawn.
const (
	WithdrawText Withdraw = iota + 1
	WithdrawAll           // text, thinking and calls
)

// ChunkPhase says what the server is doing before text comes.
type ChunkPhase int

// The phases that a server shows. Which of them a Model tells depends on what its server lets it see.
const (
	PhaseNone     ChunkPhase = iota
	PhaseLoading             // the model is not in memory yet
	PhaseReading             // the model is in memory and reads the prompt
	PhaseBusy                // the server has no room just now, and is asked again in a while
	PhaseAsked               // the request is on its way; aloud says so itself
	PhaseCalling             // the model writes what may be a call
	PhaseRetrying            // the reply is asked for again
)

// Usage is what the server measured for one reply.
type Usage struct {
	PromptTokens int // read for this reply; a cached prefix may not count
	AnswerTokens int
	Load         time.Duration
	Prompt       time.Duration
	Answer       time.Duration
}

// Kind tells callers apart what went wrong with a model or its server.
type Kind int

// The kinds that callers act on; everything else is KindFailed.
const (
	KindFailed      Kind = iota // the server answered with an error, or nonsense
	KindUnavailable             // no server answers
	KindMissing                 // the server has no such model
	KindNoTools                 // the model cannot use tools
	KindNoThinking              // the model cannot think, or cannot not think
	KindTooLong                 // the conversation does not fit the context
	KindBroken                  // the connection or the stream ended before the reply was done
	KindTooLarge                // one line or event of the reply has more than MostLine bytes
	KindMalformed               // the model wrote a call that its server could not read; Text says what is wrong with it
)

// String is the kind in a word, for the log.
func (k Kind) String() string {
	return [...]string{
		KindFailed: "failed", KindUnavailable: "unavailable", KindMissing: "missing", KindNoTools: "no_tools", KindNoThinking: "no_thinking",
		KindTooLong: "too_long", KindBroken: "broken", KindTooLarge: "too_large", KindMalformed: "malformed",
	}[k]
}

// Error is a model's or its server's failure: one sentence and the next step. It is matched with errors.As.
type Error struct {
	Kind Kind
	Text string // one sentence, what happened: `no Ollama server answers at "http://127.0.0.1:11434"`
	Hint string // what to try: "start it with: ollama serve"
	Err  error  // the cause, or nil
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Detail is what happened and what to try, on one line: the Detail of a Stop.
func (e *Error) Detail() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "; " + e.Hint
}

// Letters is a name as models mix it up: without case and separators.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. /:", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
