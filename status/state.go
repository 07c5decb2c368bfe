// Package status is what the status line says: the phases of a turn and their words, two clocks, tools by their names or in a sentence,
// and where the servers stand. It says what was seen, never what time alone suggests. It draws nothing and knows no screen.
package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/charmbracelet/x/ansi"
)

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
	Approval    Phase = "approval"    // a person is being asked
	Retrying    Phase = "retrying"
	Compacting  Phase = "compacting"
	ToolFailed  Phase = "tool_failed"
	Stopped     Phase = "stopped" // a limit, an error or a person ended the turn
)

// State is everything the status line shows, as one value: newer ones replace older ones.
type State struct {
	Phase  Phase
	Text   string        // the words, one safe line without clocks, e.g. "Using Read File…"; "": the phase's own
	Since  time.Time     // when this step began; zero: no step clock
	Worked time.Duration // the turn's work time at At
	At     time.Time     // when Worked was taken; zero: no turn clock
	Paused bool          // the turn's clock stands still: a person is asked or the model is being loaded
	Round  int           // tool rounds begun; 0 hides the segment
	Rounds int           // the limit
	Tokens int           // answer and thinking tokens so far, about one per chunk
	Heard  time.Time     // when the last byte came; zero: silence is not worth a word (nothing is awaited)
}

// silence is how long nothing must have come before the line says so.
const silence = 10 * time.Second

// Elapsed is the turn's work time at now.
func (s State) Elapsed(now time.Time) time.Duration {
	if s.Paused || s.At.IsZero() {
		return s.Worked
	}
	return s.Worked + max(now.Sub(s.At), 0)
}

// Line renders the state for width cells, without a spinner:
// "Looking up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop".
// When width is short the least important segments go first and the words are cut last. It is never wider than width, and "" when idle.
func (s State) Line(now time.Time, width int, hint string) string {
	segments := s.segments(now, hint)
	for length(segments) > width && len(segments) > 1 {
		segments = withoutLeast(segments)
	}
	if len(segments) == 0 || width <= 0 {
		return ""
	}
	return cutEnd(join(segments), width)
}

// segment is one part of the line. The highest rank is dropped first.
type segment struct {
	text string
	rank int
}

func (s State) segments(now time.Time, hint string) []segment {
	words := sanitize.Line(s.Text)
	if words == "" {
		words = s.Phase.Words()
	}
	if words == "" {
		return nil
	}
	line := []segment{{words, 0}}
	add := func(rank int, when bool, format string, args ...any) {
		if when {
			line = append(line, segment{fmt.Sprintf(format, args...), rank})
		}
	}
	hint = sanitize.Line(hint)
	if s.Phase == Stopped { // nothing goes on that could be counted
		add(1, hint != "", "%s", hint)
		return line
	}
	quiet := now.Sub(s.Heard)
	add(1, !s.Since.IsZero(), "%s", Duration(now.Sub(s.Since)))
	add(5, s.Round > 0, "round %d/%d", s.Round, s.Rounds)
	add(4, s.tellsMore(), "%s", Duration(s.Elapsed(now)))
	add(6, s.Tokens > 0, "↓ %s tok", Count(s.Tokens))
	add(2, !s.Heard.IsZero() && quiet >= silence, "no output for %s", Duration(quiet))
	add(3, hint != "", "%s", hint)
	return line
}

// tellsMore is whether the turn's clock says something that the step's does not: in a turn's first step both run as one.
func (s State) tellsMore() bool {
	if s.At.IsZero() {
		return false
	}
	if s.Since.IsZero() {
		return true
	}
	before := s.Worked // the work done before this step
	if !s.Paused {
		before -= s.At.Sub(s.Since)
	}
	return before >= time.Second
}

func withoutLeast(segments []segment) []segment {
	least := 0
	for i, s := range segments {
		if s.rank > segments[least].rank {
			least = i
		}
	}
	return append(segments[:least], segments[least+1:]...)
}

const separator = " · "

func length(segments []segment) int { return ansi.StringWidthWc(join(segments)) }

func join(segments []segment) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.text
	}
	return strings.Join(texts, separator)
}
