package status

import (
	"cmp"
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
	Hint  string // the last segment: "esc stops"
	Still bool   // the line is only drawn on events: it shows times of day instead of running clocks
}

// Line draws the state, without a spinner, or "" when idle:
//
//	Find User on shop · "Looking up the user in the database" · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops
//
// In a narrow line the least important segments are left out first. The name of a tool is truncated last.
func (s State) Line(now time.Time, d Drawing) string {
	before, quote, after := s.Parts(now, d)
	return before + quote + after
}

// Parts returns the line in three parts. The second is the model's sentence, "" if the line has none.
func (s State) Parts(now time.Time, d Drawing) (before, quote, after string) {
	if d.Width <= 0 {
		return "", "", ""
	}
	line := fitted(s.segments(now, d), d.Width)
	i := slices.IndexFunc(line, func(s segment) bool { return s.rank == rankQuote })
	if i <= 0 {
		return join(line), "", ""
	}
	if after = join(line[i+1:]); after != "" {
		after = separator + after
	}
	return join(line[:i]) + separator, line[i].text, after
}

// Words returns the line without clocks and in full.
func (s State) Words() string { return join(s.words()) }

// segment is a part of the line.
type segment struct {
	text  string
	rank  rank
	short *segment // replaces it when its rank is left out; nil leaves out the segment
}

// rank orders segments by importance. The highest is left out first.
type rank int

const (
	rankWords rank = iota
	rankHint
	rankDone
	rankStep
	rankQuiet
	rankEstimate
	rankTurn
	rankRounds
	rankServer
	rankNote
	rankQuote
	rankTokens
)

// words returns the segments before the clocks.
func (s State) words() []segment {
	text := cmp.Or(sanitize.Line(s.Text), phaseWords[s.Phase])
	if s.Text != "" || s.Tool == "" {
		return present(segment{text: text})
	}
	return present(
		segment{s.head(s.Server), rankServer, &segment{text: s.head("")}},
		segment{text: sanitize.Line(s.Done), rank: rankDone},
		segment{text: sanitize.Line(s.Note), rank: rankNote},
		segment{text: quoted(s.Quote), rank: rankQuote},
	)
}

func (s State) segments(now time.Time, d Drawing) []segment {
	line := s.words()
	if len(line) == 0 {
		return nil
	}
	hint := segment{text: sanitize.Line(d.Hint), rank: rankHint}
	if s.Phase == Stopped { // no clock runs
		return present(append(line, hint)...)
	}
	tick := s.lastTick(now)
	if (s.Estimate(tick) > 0 || !s.Ends.IsZero()) && !d.Still {
		line[0].text = strings.TrimSuffix(line[0].text, "…") // "Loading qwen3:14b · 9s of about 14s", "Finishing · 12s left"
	}
	return present(append(line,
		s.stepClock(tick, d),
		segment{text: s.rounds(), rank: rankRounds},
		segment{text: s.turnClock(now.Sub(tick), now, d), rank: rankTurn},
		segment{text: s.count(d), rank: rankTokens},
		segment{text: s.quiet(now, tick, d), rank: rankQuiet},
		hint,
	)...)
}

// stepClock returns how long the step has taken, and its estimate if known.
func (s State) stepClock(tick time.Time, d Drawing) segment {
	took := segment{text: quantity.Duration(tick.Sub(s.Since)), rank: rankStep}
	expected := s.Estimate(tick)
	switch {
	case s.Since.IsZero():
		took.text = ""
	case d.Still:
		took.text = "since " + timeOfDay(s.Since)
	case !s.Ends.IsZero():
		took.text = quantity.Duration(s.Left(tick)+time.Second-1) + " left"
	case expected > 0:
		return segment{took.text + " of about " + quantity.Duration(expected), rankEstimate, &took}
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
	if s.Rough {
		return "↓ about " + quantity.Count(s.Tokens) + " tok"
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

// fitted shortens a line to at most width cells. Its first segment has the words of the phase, or the name of a tool,
// which stays whole for longer.
func fitted(line []segment, width int) []segment {
	if len(line) == 0 {
		return nil
	}
	cutFirst := rankStep
	if line[0].short != nil {
		cutFirst = rankHint
	}
	for least := rankTokens; least > rankWords; least-- {
		over := excess(line, width)
		if over <= 0 {
			return line
		}
		i := slices.IndexFunc(line, func(s segment) bool { return s.rank == least })
		switch {
		case i < 0:
		case line[i].short != nil:
			line[i] = *line[i].short
		case least == rankQuote || least == rankNote:
			if !line[i].cut(over) {
				line = slices.Delete(line, i, i+1)
			}
		case least > cutFirst || !line[0].cut(over):
			line = slices.Delete(line, i, i+1)
		}
	}
	if excess(line, width) > 0 {
		line = line[:1]
		line[0].text = sanitize.CutEnd(line[0].text, width)
	}
	return line
}

// cut removes cells from the end of the text, and reports whether enough are left to read it.
func (s *segment) cut(cells int) bool {
	const enough = 16
	room := ansi.StringWidthWc(s.text) - cells
	switch {
	case room < enough:
		return false
	case cells == 1 && strings.HasSuffix(s.text, "…"):
		s.text = strings.TrimSuffix(s.text, "…")
	case s.rank == rankQuote:
		s.text = quoted(sanitize.CutEnd(strings.Trim(s.text, `"`), room-len(`""`)))
	default:
		s.text = sanitize.CutEnd(s.text, room)
	}
	return true
}

// excess returns by how many cells a line is too wide. No character has more cells than bytes.
func excess(line []segment, width int) int {
	all := join(line)
	if len(all) <= width {
		return 0
	}
	return ansi.StringWidthWc(all) - width
}

func join(segments []segment) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.text
	}
	return strings.Join(texts, separator)
}
