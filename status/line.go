package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// Drawing describes how a state is drawn as a line.
type Drawing struct {
	Width int    // cells; the line is never wider
	Hint  string // the last segment: "esc to stop"
	Still bool   // the line is only drawn on events: it shows times of day instead of running clocks
}

// Line draws the state, without a spinner: "Looking up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop".
// In a narrow line the least important segments are dropped first, and the text is truncated before the step's clock is
// dropped. Line returns "" when idle.
func (s State) Line(now time.Time, d Drawing) string {
	if d.Width <= 0 {
		return ""
	}
	return fitted(s.segments(now, d), d.Width)
}

// segment is a part of the line.
type segment struct {
	text string
	rank rank
}

// rank orders segments by importance. The highest is dropped first.
type rank int

const (
	rankWords rank = iota
	rankQuiet
	rankStep
	rankHint
	rankTurn
	rankRounds
	rankTokens
)

func (s State) segments(now time.Time, d Drawing) []segment {
	words := sanitize.Line(s.Text)
	if words == "" {
		words = phaseWords[s.Phase]
	}
	if words == "" {
		return nil
	}
	hint := segment{sanitize.Line(d.Hint), rankHint}
	if s.Phase == Stopped { // no clock runs
		return present(segment{words, rankWords}, hint)
	}
	tick := s.lastTick(now)
	if (s.Estimate(tick) > 0 || !s.Ends.IsZero()) && !d.Still {
		words = strings.TrimSuffix(words, "…") // "Loading qwen3:14b · 9s of about 14s", "Finishing · 12s left"
	}
	return present(
		segment{words, rankWords},
		segment{s.stepClock(tick, d), rankStep},
		segment{s.rounds(), rankRounds},
		segment{s.turnClock(now.Sub(tick), now, d), rankTurn},
		segment{s.count(d), rankTokens},
		segment{s.quiet(now, tick, d), rankQuiet},
		hint,
	)
}

// stepClock returns how long the step has taken, and its estimate if known.
func (s State) stepClock(tick time.Time, d Drawing) string {
	took, expected := quantity.Duration(tick.Sub(s.Since)), s.Estimate(tick)
	switch {
	case s.Since.IsZero():
		return ""
	case d.Still:
		return "since " + timeOfDay(s.Since)
	case !s.Ends.IsZero():
		return quantity.Duration(s.Left(tick)+time.Second-1) + " left"
	case expected > 0:
		return took + " of about " + quantity.Duration(expected)
	}
	return took
}

func (s State) rounds() string {
	if s.Round <= 0 {
		return ""
	}
	return fmt.Sprintf("round %d/%d", s.Round, s.Rounds)
}

// turnClock returns the work time of the turn at the last tick, which was the duration since before now.
func (s State) turnClock(since time.Duration, now time.Time, d Drawing) string {
	switch {
	case s.At.IsZero(), d.Still && !s.Paused:
		return ""
	case s.before().Abs() < time.Second: // in a turn's first step, its clock would repeat the step's
		return ""
	case s.Paused:
		return quantity.Duration(s.Worked) + " paused"
	}
	return quantity.Duration(s.Elapsed(now) - since)
}

func (s State) count(d Drawing) string {
	if s.Tokens <= 0 || d.Still {
		return ""
	}
	return "↓ " + quantity.Count(s.Tokens) + " tok"
}

// quiet reports a long silence, unless the estimate explains it.
func (s State) quiet(now, tick time.Time, d Drawing) string {
	switch {
	case d.Still && s.SilentBy(now):
		return "no output since " + timeOfDay(s.Heard)
	case !d.Still && s.SilentBy(tick):
		return silentFor(tick.Sub(s.Heard))
	}
	return ""
}

func timeOfDay(t time.Time) string { return t.Format(time.TimeOnly) }

// present drops empty segments.
func present(segments ...segment) []segment {
	return slices.DeleteFunc(segments, func(s segment) bool { return s.text == "" })
}

const separator = " · "

// fitted joins segments in at most width cells. The first one has the text. No character has more cells than bytes.
func fitted(segments []segment, width int) string {
	const enough = 16 // cells of text that are still readable
	if all := join(segments); len(all) <= width {
		return all
	}
	for len(segments) > 1 {
		least := 0 // the index of the least important segment
		for i, s := range segments {
			if s.rank > segments[least].rank {
				least = i
			}
		}
		room := width - ansi.StringWidthWc(separator+join(segments[1:]))
		if ansi.StringWidthWc(segments[0].text) <= room {
			break
		}
		if segments[least].rank <= rankStep && room >= enough {
			segments[0].text = sanitize.CutEnd(segments[0].text, room)
			break
		}
		segments = slices.Delete(segments, least, least+1)
	}
	return sanitize.CutEnd(join(segments), width)
}

func join(segments []segment) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.text
	}
	return strings.Join(texts, separator)
}
