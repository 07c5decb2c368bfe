package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
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
// In a narrow line the least important segments are left out. The name of a tool is truncated last.
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
	if s.Done+s.Note+s.Quote != "" && !slices.ContainsFunc(line, segment.details) {
		s.Done, s.Note, s.Quote = "", "", "" // the line begins in another way without them
		line = fitted(s.segments(now, d), d.Width)
	}
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
	least int      // if it is longer, the text can be cut to so many cells; 0 means never
	short *segment // a shorter version with a lower rank, which is tried first; may be nil
}

// rank orders the segments. In a narrow line, those that follow get the room that is left.
type rank int

const (
	rankWords rank = iota // the beginning of the words, or of a tool's name
	rankHint
	rankName // the whole name of a tool
	rankDone
	rankSilent // "silent 12s"
	rankText   // the whole words
	rankQuiet  // "no output for 12s"
	rankStep
	rankUsing // "Using" before the name
	rankEstimate
	rankTurn
	rankRounds
	rankServer
	rankNote
	rankQuote
	rankTokens
	rankTitles // of all tools
	ranks
)

// words returns the segments before the clocks.
func (s State) words() []segment {
	const enough, enoughToQuote = 10, 16 // cells
	text := cmp.Or(sanitize.Line(s.Text), phaseWords[s.Phase])
	if s.Text != "" || s.Tool == "" {
		return present(segment{text: text, rank: rankText, least: 1, short: &segment{text: sanitize.CutEnd(text, enough)}})
	}
	return present(
		s.head(),
		segment{text: sanitize.Line(s.Done), rank: rankDone},
		segment{text: sanitize.Line(s.Note), rank: rankNote, least: enoughToQuote},
		segment{text: quoted(s.Quote), rank: rankQuote, least: enoughToQuote},
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
		s.quiet(now, tick, d),
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
		return segment{text: took.text + " of about " + quantity.Duration(expected), rank: rankEstimate, short: &took}
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
func (s State) quiet(now, tick time.Time, d Drawing) segment {
	switch {
	case d.Still && s.SilentBy(now):
		return segment{text: "no output since " + timeOfDay(s.Heard), rank: rankQuiet}
	case !d.Still && s.SilentBy(tick):
		short := &segment{text: "silent " + quantity.Duration(tick.Sub(s.Heard)), rank: rankSilent}
		return segment{text: silentFor(tick.Sub(s.Heard)), rank: rankQuiet, short: short}
	}
	return segment{}
}

func timeOfDay(t time.Time) string { return t.Format(time.TimeOnly) }

// present drops empty segments.
func present(segments ...segment) []segment {
	return slices.DeleteFunc(segments, func(s segment) bool { return s.text == "" })
}

const separator = " · "

// fitted shortens a line to at most width cells: the segments that do not fit are cut or left out.
func fitted(line []segment, width int) []segment {
	if excess(line, width) <= 0 {
		return line
	}
	kept := make([]segment, len(line))
	for r := range ranks {
		for i := range line {
			s := &line[i]
			for s != nil && s.rank != r {
				s = s.short
			}
			if s == nil {
				continue
			}
			was := kept[i]
			kept[i] = *s
			room := ansi.StringWidthWc(s.text) - excess(present(slices.Clone(kept)...), width)
			if kept[i].text = s.cut(room); kept[i].text == "" {
				kept[i] = was
			}
		}
	}
	return present(kept...)
}

// cut returns the text in at most so many cells, or "" if too little of it would be left.
func (s *segment) cut(cells int) string {
	const dots = "…"
	before, open := strings.CutSuffix(s.text, dots)
	switch over := ansi.StringWidthWc(s.text) - cells; {
	case over <= 0:
		return s.text
	case s.rank == rankWords:
		return sanitize.CutEnd(s.text, cells)
	case s.least == 0 || cells < s.least:
		return ""
	case open && over == 1 && !strings.HasSuffix(before, " "):
		return before
	case s.rank == rankQuote:
		return quoted(sanitize.CutEnd(strings.Trim(s.text, `"`), cells-len(`""`)))
	}
	return sanitize.CutEnd(s.text, cells)
}

// details reports whether the segment tells more about a tool than its name.
func (s segment) details() bool {
	return s.rank == rankDone || s.rank == rankNote || s.rank == rankQuote
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
