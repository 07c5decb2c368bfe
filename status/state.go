// Package status makes the status line from the events of a turn: phases, two clocks, running tools by name or in a
// sentence, and the receipt after the turn. It shows what was observed and never guesses from the time.
//
// An [Observer] takes every event and shows a new [State] when something changes. [State.Line] formats it.
package status

import (
	"time"

	"github.com/aloudchat/aloud/status/tape"
)

// Phase is the last observed activity of aloud. The values are part of the stream-json contract.
type Phase string

// The phases, in the order in which a turn meets them.
const (
	Idle        Phase = ""
	Connecting  Phase = "connecting"  // MCP servers are starting
	Analyzing   Phase = "analyzing"   // the request was sent, there is no output yet
	Loading     Phase = "loading"     // the server is loading the model into memory
	Reading     Phase = "reading"     // the model reads the prompt
	Thinking    Phase = "thinking"    // thinking text arrives
	Selecting   Phase = "selecting"   // the model has begun a tool call
	UsingTool   Phase = "tool"        // a tool runs
	Processing  Phase = "processing"  // tool results were sent, there is no output yet
	Formulating Phase = "formulating" // answer text arrives
	Approval    Phase = "approval"    // you are being asked
	Retrying    Phase = "retrying"
	Compacting  Phase = "compacting"
	ToolFailed  Phase = "tool_failed"
	Stopped     Phase = "stopped" // a limit, an error or you ended the turn
)

// State has everything that the status line shows.
type State struct {
	Phase    Phase
	Text     string        // what happens, e.g. "Loading qwen3:14b…"; "" means the tools, or the phase's words
	Work                   // the running tools
	Since    time.Time     // when this step began; zero means no step clock
	Expected time.Duration // how long this step is likely to take in all; 0 if unknown
	Part     float64       // the finished part of the step, 0 to 1; 0 if unknown
	Worked   time.Duration // the turn's work time at At
	At       time.Time     // when Worked was measured; zero means no turn clock
	Paused   bool          // the turn's clock is paused: you are asked, or the model loads
	Ends     time.Time     // when the turn is cut off by its time limit, if not Paused; zero means not yet known
	Round    int           // tool rounds begun; 0 hides the segment
	Rounds   int           // the limit
	Tokens   int           // answer and thinking tokens so far
	Rough    bool          // some of them are an estimate, about one per chunk
	Heard    time.Time     // when the last output came; zero if no output is due
	Tape     *tape.Tape    // what was observed in this turn, up to the last change; see TapeAt
	Turn     time.Duration // the turn's time at At, without the time in which you were asked
}

// Elapsed returns the turn's work time at now.
func (s State) Elapsed(now time.Time) time.Duration {
	if s.Paused || s.At.IsZero() {
		return s.Worked
	}
	return s.Worked + max(now.Sub(s.At), 0)
}

// Left returns the time until the turn is cut off by its time limit, or 0 if that is not yet known. It does not pass
// while the turn's clock is paused.
func (s State) Left(now time.Time) time.Duration {
	if s.Ends.IsZero() {
		return 0
	}
	if s.Paused && !s.At.IsZero() {
		now = s.At
	}
	return s.Ends.Sub(now)
}

// Estimate returns how long the step is likely to take in all, or 0 if unknown, under two seconds or exceeded.
func (s State) Estimate(now time.Time) time.Duration {
	expected := s.Expected.Round(time.Second)
	if s.Since.IsZero() || expected < 2*time.Second || now.Sub(s.Since) >= expected {
		return 0
	}
	return expected
}

// Motion is the amount of animation in the line.
type Motion string

// The motions, as the configuration names them. "" is MotionFull.
const (
	MotionFull    Motion = "full"    // a spinner, and clocks that run
	MotionReduced Motion = "reduced" // no spinner; the clocks run once a second
	MotionNone    Motion = "none"    // the line only changes on events; see Drawing.Still
)
