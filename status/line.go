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

// Drawing says how a state is drawn as a line.
type Drawing struct {
	Width int    // cells; the line is never wider
	Hint  string // what you can do, the last words: "esc to stop"
	Still bool   // the line is drawn when something happens and not with the time: it says since when instead of for how long
}

// Line draws the state, without a spinner: "Looking up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop".
// When there is little room the least important segments go first, and the words are cut before the step's clock goes. It is "" when idle.
func (s State) Line(now time.Time, d Drawing) string {
	if d.Width <= 0 {
		return ""
	}
	return fitted(s.segments(now, d), d.Width)
}

// segment is one part of the line. The highest rank is dropped first.
type segment struct {
	text string
	rank rank
}

// rank says how little you would miss a segment: the words are dropped last, then that nothing comes, then the step's clock.
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
	if s.Phase == Stopped { // nothing goes on that could be counted
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

// stepClock says how long the step has taken, and how long it is likely to take.
func (s State) stepClock(tick time.Time, d Drawing) string {
	took, expected := quantity.Duration(tick.Sub(s.Since)), s.Estimate(tick)
	switch {
	case s.Since.IsZero():
		return ""
	case d.Still:
		return "since " + timeOfDay(s.Since)
	case !s.Ends.IsZero():
		return quantity.Duration(s.Ends.Sub(tick)+time.Second-1) + " left"
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

// turnClock says how long the turn had worked at the last tick, which was so long before now: the same whenever in
// this second the state was taken.
func (s State) turnClock(since time.Duration, now time.Time, d Drawing) string {
	switch {
	case !s.hasTurnClock(), d.Still && !s.Paused:
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

// quiet says that nothing has come for a while, unless that was to be expected.
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

// present leaves out the segments that say nothing.
func present(segments ...segment) []segment {
	return slices.DeleteFunc(segments, func(s segment) bool { return s.text == "" })
}

const separator = " · "

// fitted joins segments in at most width cells. The first one has the words.
func fitted(segments []segment, width int) string {
	const enough = 16 // cells of words that still say something
	for len(segments) > 1 {
		least := leastOf(segments)
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

// leastOf is the segment that would be missed least.
func leastOf(segments []segment) int {
	least := 0
	for i, s := range segments {
		if s.rank > segments[least].rank {
			least = i
		}
	}
	return least
}

func join(segments []segment) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.text
	}
	return strings.Join(texts, separator)
}
