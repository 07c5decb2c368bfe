package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/charmbracelet/x/ansi"
)

// silence is how long nothing must have come before the line says so.
const silence = 10 * time.Second

// Drawing says how a state is drawn as a line.
type Drawing struct {
	Width    int // cells; the line is never wider
	Language Language
	Hint     string // what a person can do, the last words: "esc to stop"
	Still    bool   // the line is drawn when something happens and not with the time: it says since when instead of for how long
}

// Line draws the state, without a spinner: "Looking up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop".
// When there is little room the least important segments go first and the words are cut last. It is "" when idle.
func (s State) Line(now time.Time, d Drawing) string {
	segments := s.segments(now, d)
	for length(segments) > d.Width && len(segments) > 1 {
		segments = withoutLeast(segments)
	}
	if len(segments) == 0 || d.Width <= 0 {
		return ""
	}
	return cutEnd(join(segments), d.Width)
}

// Steady is how long from now the line stays as it is if nothing happens; 0: for ever.
func (s State) Steady(now time.Time, still bool) time.Duration {
	switch {
	case s.Phase == Idle, s.Phase == Stopped:
		return 0
	case still:
		return max(s.silentAt().Sub(now), 0) // the zero time is long ago
	case !s.Since.IsZero():
		return untilNextSecond(now.Sub(s.Since))
	case !s.At.IsZero() && !s.Paused:
		return untilNextSecond(s.Elapsed(now))
	}
	return 0
}

func untilNextSecond(elapsed time.Duration) time.Duration {
	if elapsed < 0 {
		return time.Second - elapsed
	}
	return time.Second - elapsed%time.Second
}

// segment is one part of the line. The highest rank is dropped first.
type segment struct {
	text string
	rank int
}

func (s State) segments(now time.Time, d Drawing) []segment {
	words := sanitize.Line(s.Text)
	if words == "" {
		words = d.Language.Phase(s.Phase)
	}
	if words == "" {
		return nil
	}
	hint := sanitize.Line(d.Hint)
	if s.Phase == Stopped { // nothing goes on that could be counted
		return present(segment{words, 0}, segment{hint, 1})
	}
	if s.Estimate(now) > 0 && !d.Still {
		words = strings.TrimSuffix(words, "…") // "Loading qwen3:14b · 9s of about 14s"
	}
	return present(
		segment{words, 0},
		segment{s.stepClock(now, d), 1},
		segment{s.rounds(d), 5},
		segment{s.turnClock(now, d), 4},
		segment{s.count(d), 6},
		segment{s.quiet(now, d), 2},
		segment{hint, 3},
	)
}

// stepClock tells how long the step has taken, and how long it is likely to take.
func (s State) stepClock(now time.Time, d Drawing) string {
	w := d.Language.words()
	switch expected := s.Estimate(now); {
	case s.Since.IsZero():
		return ""
	case d.Still:
		return fmt.Sprintf(w.since, timeOfDay(s.Since))
	case expected > 0:
		return fmt.Sprintf(w.about, Duration(now.Sub(s.Since)), Duration(expected))
	}
	return Duration(now.Sub(s.Since))
}

func (s State) rounds(d Drawing) string {
	if s.Round <= 0 {
		return ""
	}
	return fmt.Sprintf(d.Language.words().round, s.Round, s.Rounds)
}

// turnClock tells how long the turn has worked, where that says something that the step's clock does not: in a turn's first step both run as one.
func (s State) turnClock(now time.Time, d Drawing) string {
	if s.At.IsZero() || !s.Since.IsZero() && s.before() < time.Second {
		return ""
	}
	switch elapsed := Duration(s.Elapsed(now)); {
	case s.Paused:
		return fmt.Sprintf(d.Language.words().paused, elapsed)
	case d.Still:
		return ""
	default:
		return elapsed
	}
}

// before is the work that was done before this step.
func (s State) before() time.Duration {
	if s.Paused {
		return s.Worked
	}
	return s.Worked - s.At.Sub(s.Since)
}

func (s State) count(d Drawing) string {
	if s.Tokens <= 0 || d.Still {
		return ""
	}
	return fmt.Sprintf(d.Language.words().tokens, Count(s.Tokens))
}

// quiet says that nothing has come for a while, unless that was to be expected.
func (s State) quiet(now time.Time, d Drawing) string {
	at := s.silentAt()
	if at.IsZero() || now.Before(at) {
		return ""
	}
	if d.Still {
		return fmt.Sprintf(d.Language.words().silentSince, timeOfDay(s.Heard))
	}
	return fmt.Sprintf(d.Language.words().silent, Duration(now.Sub(s.Heard)))
}

// silentAt is when silence is worth a word: after ten seconds, and not before the step is over by its estimate. Zero: never.
func (s State) silentAt() time.Time {
	if s.Heard.IsZero() {
		return time.Time{}
	}
	at := s.Heard.Add(silence)
	if expected := s.Since.Add(s.Expected); s.Estimate(s.Since) > 0 && expected.After(at) {
		return expected
	}
	return at
}

func timeOfDay(t time.Time) string { return t.Format(time.TimeOnly) }

// present leaves out the segments that say nothing.
func present(segments ...segment) []segment {
	some := segments[:0]
	for _, s := range segments {
		if s.text != "" {
			some = append(some, s)
		}
	}
	return some
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
