package status

import (
	"fmt"
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
	Stuck string // what you can do when nothing comes, instead of Hint: "esc to stop, then /retry"; "": Hint
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
	text  string
	short string // what may stand for it before it is dropped; "": nothing
	rank  rank
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
	if s.Phase == Stopped { // nothing goes on that could be counted
		return present(segment{text: words, rank: rankWords}, segment{text: sanitize.Line(d.Hint), rank: rankHint})
	}
	c := s.clocks(now)
	if (c.expected > 0 || c.left != none) && !d.Still {
		words = strings.TrimSuffix(words, "…") // "Loading qwen3:14b · 9s of about 14s", "Finishing · 12s left"
	}
	return present(
		segment{text: words, rank: rankWords},
		s.stepClock(c, d),
		segment{text: s.rounds(), rank: rankRounds},
		segment{text: s.turnClock(c, d), rank: rankTurn},
		segment{text: s.count(d), rank: rankTokens},
		segment{text: s.quiet(now, c, d), rank: rankQuiet},
		s.hint(now, c, d),
	)
}

// stepClock tells how long the step has taken, and how long it is likely to take.
func (s State) stepClock(c clocks, d Drawing) segment {
	switch {
	case c.step == none:
		return segment{}
	case c.left != none && !d.Still:
		return segment{text: quantity.Duration(c.left) + " left", rank: rankStep}
	case d.Still:
		return segment{text: "since " + timeOfDay(s.Since), rank: rankStep}
	case c.expected > 0:
		return segment{text: quantity.Duration(c.step) + " of about " + quantity.Duration(c.expected), short: quantity.Duration(c.step), rank: rankStep}
	}
	return segment{text: quantity.Duration(c.step), rank: rankStep}
}

func (s State) rounds() string {
	if s.Round <= 0 {
		return ""
	}
	return fmt.Sprintf("round %d/%d", s.Round, s.Rounds)
}

func (s State) turnClock(c clocks, d Drawing) string {
	switch {
	case c.turn == none, d.Still && !s.Paused:
		return ""
	case s.Paused:
		return quantity.Duration(c.turn) + " paused"
	}
	return quantity.Duration(c.turn)
}

func (s State) count(d Drawing) string {
	if s.Tokens <= 0 || d.Still {
		return ""
	}
	return "↓ " + quantity.Count(s.Tokens) + " tok"
}

// quiet says that nothing has come for a while, unless that was to be expected.
func (s State) quiet(now time.Time, c clocks, d Drawing) string {
	switch {
	case d.Still && s.silentBy(now):
		return silentSince(s.Heard)
	case d.Still, c.silent == none:
		return ""
	}
	return silentFor(c.silent)
}

// hint is what you can do: something else when nothing comes.
func (s State) hint(now time.Time, c clocks, d Drawing) segment {
	hint := segment{text: sanitize.Line(d.Hint), rank: rankHint}
	if d.Stuck != "" && (c.silent != none || d.Still && s.silentBy(now)) {
		hint.text, hint.short = sanitize.Line(d.Stuck), hint.text
	}
	return hint
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

const separator = " · "

// fitted joins segments in at most width cells. The first one has the words.
func fitted(segments []segment, width int) string {
	const enough = 16 // cells of words that still say something
	for len(segments) > 1 {
		rest := length(segments[1:]) + len(" - ")
		least := leastOf(segments)
		room := width - rest
		if ansi.StringWidthWc(segments[0].text) <= room {
			break
		}
		if segments[least].short == "" && segments[least].rank <= rankStep && room >= enough {
			segments[0].text = sanitize.CutEnd(segments[0].text, room)
			break
		}
		segments = without(segments, least)
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

// without says the segment at i in fewer words, or not at all.
func without(segments []segment, i int) []segment {
	if short := segments[i].short; short != "" {
		segments[i].text, segments[i].short = short, ""
		return segments
	}
	return append(segments[:i], segments[i+1:]...)
}

func length(segments []segment) int { return ansi.StringWidthWc(join(segments)) }

func join(segments []segment) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.text
	}
	return strings.Join(texts, separator)
}
