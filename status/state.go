// Package status makes the status line from the events of a turn: phases and their words, two clocks, running tools by name or in a sentence,
// and the receipt when the turn is over. It says what was seen, never what time alone suggests. It draws nothing and knows no screen.
//
// An [Observer] gets every event and shows a new [State] when something changes; [State.Line] draws it.
package status

import "time"

// Phase is what aloud is doing, as far as it has been seen. The values are part of the stream-json contract.
type Phase string

// The phases, in the order in which a turn meets them.
const (
	Idle        Phase = ""
	Connecting  Phase = "connecting"  // MCP servers are starting
	Analyzing   Phase = "analyzing"   // the request was sent, nothing came back yet
	Loading     Phase = "loading"     // the server is loading the model into memory
	Reading     Phase = "reading"     // the model is in memory and reads the prompt
	Thinking    Phase = "thinking"    // thinking text arrives
	Selecting   Phase = "selecting"   // the model has begun to ask for tools
	UsingTool   Phase = "tool"        // a tool runs
	Processing  Phase = "processing"  // tool results were sent, nothing came back yet
	Formulating Phase = "formulating" // answer text arrives
	Approval    Phase = "approval"    // you are being asked
	Retrying    Phase = "retrying"
	Compacting  Phase = "compacting"
	ToolFailed  Phase = "tool_failed"
	Stopped     Phase = "stopped" // a limit, an error or you ended the turn
)

// State is everything the status line shows, as one value: newer ones replace older ones.
type State struct {
	Phase    Phase
	Text     string        // the words, one safe line without clocks, e.g. "Using Read File…"; "": the phase's own
	Since    time.Time     // when this step began; zero: no step clock
	Expected time.Duration // how long this step took before, in all; 0 if unknown
	Part     float64       // how much of the step is done, 0 to 1, as its tool says; 0: it does not
	Worked   time.Duration // the turn's work time at At
	At       time.Time     // when Worked was taken; zero: no turn clock
	Paused   bool          // the turn's clock stands still: you are asked or the model is being loaded
	Ends     time.Time     // when the turn will be cut off, because the time for its work is used; zero: it is not
	Round    int           // tool rounds begun; 0 hides the segment
	Rounds   int           // the limit
	Tokens   int           // answer and thinking tokens so far, about one per chunk
	Heard    time.Time     // when the last byte came; zero: silence is not worth a word (nothing is awaited)
}

// Elapsed is the turn's work time at now.
func (s State) Elapsed(now time.Time) time.Duration {
	if s.Paused || s.At.IsZero() {
		return s.Worked
	}
	return s.Worked + max(now.Sub(s.At), 0)
}

// Estimate is how long the step is likely to take in all, or 0 if unknown. One that has passed is dropped, never
// stretched. One of less than two seconds is not worth a word.
func (s State) Estimate(now time.Time) time.Duration {
	expected := s.Expected.Round(time.Second)
	if s.Since.IsZero() || expected < 2*time.Second || now.Sub(s.Since) >= expected {
		return 0
	}
	return expected
}

// Motion says how much of the line may move by itself.
type Motion string

// The motions, as the configuration names them. "" is MotionFull.
const (
	MotionFull    Motion = "full"    // a spinner, and clocks that run
	MotionReduced Motion = "reduced" // no spinner; the clocks run once a second
	MotionNone    Motion = "none"    // the line only changes when something happens: Drawing.Still
)
