package tape_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status/tape"
)

// labels returns the row of labels as text.
func labels(t tape.Tape, width int) string {
	var b strings.Builder
	for _, l := range t.Labels(width) {
		b.WriteString(strings.Repeat(" ", l.At-ansi.StringWidthWc(b.String())) + l.Text)
	}
	return b.String()
}

// orders is a turn with a load of 9 s, that has called two tools.
func orders() tape.Tape {
	s := time.Second
	return tape.Tape{
		Now: 19 * s,
		Spans: []tape.Span{
			{Kind: tape.Load, Length: 9 * s},
			{Kind: tape.Read, Start: 9 * s, Length: 3 * s},
			{Kind: tape.Think, Start: 12 * s, Length: 4 * s},
			{Kind: tape.Tool, Title: "Find User", Start: 16 * s, Length: 2 * s},
			{Kind: tape.Tool, Title: "List Orders", Start: 18 * s, Length: s, Running: true},
		},
		Expected: tape.Span{Kind: tape.Tool, Start: 18 * s, Length: 10 * s},
	}
}

func TestRow(t *testing.T) {
	s := time.Second
	limit := orders().End(tape.Limit)
	waited := tape.Tape{Now: 6 * s, Spans: []tape.Span{
		{Kind: tape.Write, Length: 2 * s}, {Kind: tape.Wait, Start: 2 * s},
		{Kind: tape.Tool, Title: "Edit File", Start: 2 * s, Length: 3 * s},
	}}
	for name, c := range map[string]struct {
		row, want string
	}{
		"running":  {tape.Text(orders().Row(60)), "━━━━━━━━━━━━━━┅┅┅┅──────▓▓▓▓●╌╌╌╌╌╌╌╌╌╌╌╌╌──────────────────"},
		"limit":    {tape.Text(limit.Row(40)), "━━━━━━━━━━━━━━━━━━┅┅┅┅┅┅────────▓▓▓▓▓▓■─"},
		"failure":  {tape.Text(orders().End(tape.Failed).Row(40)), "━━━━━━━━━━━━━━━━━━┅┅┅┅┅┅────────▓▓▓▓▓▓✗─"},
		"done":     {tape.Text(orders().End(tape.Done).Row(40)), "━━━━━━━━━━━━━━━━━━┅┅┅┅┅┅────────▓▓▓▓▓▓┤─"},
		"shrunk":   {tape.Text(limit.Shrunk(10)), "━━━━━┅──▓■"},
		"asked":    {tape.Text(waited.Row(20)), "════ ▓▓▓▓▓··●───────"},
		"no time":  {tape.Text(tape.Tape{}.Row(5)), "●────"},
		"no width": {tape.Text(orders().Row(0)), ""},
	} {
		if c.row != c.want {
			t.Errorf("%s: the row is\n%q, not\n%q", name, c.row, c.want)
		}
	}
}

func TestLabels(t *testing.T) {
	for width, want := range map[int]string{
		80: "load 9s                 think 4s    now 1s  about 9s more",
		40: "load 9s  read 3s  now 1s  about 9s more",
		8:  "  now 1s",
		0:  "",
	} {
		if got := labels(orders(), width); got != want {
			t.Errorf("in %d cells the labels are\n%q, not\n%q", width, got, want)
		}
	}
}

// Between two steps of the scale, the cells before now stay the same.
func TestCellsStayUntilScaleGrows(t *testing.T) {
	running := tape.Tape{Spans: []tape.Span{{Kind: tape.Read, Running: true}}}
	last, scales := "", []time.Duration{}
	for now := time.Duration(0); now < 50*time.Second; now += 100 * time.Millisecond {
		r := running.Until(now)
		row, _, _ := strings.Cut(tape.Text(r.Row(40)), "●")
		if len(scales) == 0 || scales[len(scales)-1] != r.Scale() {
			scales, last = append(scales, r.Scale()), ""
		}
		if rest, ok := strings.CutPrefix(row, last); !ok || len([]rune(rest)) > 1 && last != "" {
			t.Fatalf("after %v the row is %q, and was %q", now, row, last)
		}
		last = row
	}
	if want := []time.Duration{10e9, 20e9, 40e9, 80e9}; !slices.Equal(scales, want) {
		t.Errorf("the scales are %v, not %v", scales, want)
	}
}

func TestTapeOfResult(t *testing.T) {
	laps := []event.Lap{
		{Kind: event.LapLoad, MS: 9000},
		{Kind: event.LapRead, MS: 3000, Tokens: 2100},
		{Kind: event.LapCompact, MS: 3000},
		{Kind: event.LapTool, Title: "Find User", MS: 2000, Status: event.CallOK, Round: 1},
	}
	spans := func() string {
		var out []string
		for _, s := range tape.Of(event.Result{Timing: event.Timing{Steps: laps}}).Spans {
			out = append(out, fmt.Sprintf("%s %v+%v", s.Name(), s.Start, s.Length))
		}
		return strings.Join(out, ", ")
	}
	if got, want := spans(), "load 0s+9s, read 9s+3s, Find User 12s+2s"; got != want {
		t.Errorf("laps without a start are %q, not %q", got, want)
	}
	laps[1].StartMS, laps[2].StartMS, laps[3].StartMS = 9500, 9500, 9000
	if got, want := spans(), "load 0s+9s, Find User 9s+2s, read 9.5s+3s, summary 9.5s+3s"; got != want {
		t.Errorf("laps with a start are %q, not %q", got, want)
	}
}

// A result from a file may have any numbers, and the screen any width.
func FuzzTape(f *testing.F) {
	f.Add(uint8(80), int64(9000), int64(1000), int64(3000), int64(14000), "Find User", uint8(0))
	f.Add(uint8(3), int64(-1), int64(1)<<62, int64(1)<<62, int64(1)<<62, "漢字\x1b[31m", uint8(3))
	f.Fuzz(func(t *testing.T, width uint8, a, b, start, expected int64, title string, ended uint8) {
		tp := tape.Of(event.Result{Timing: event.Timing{Steps: []event.Lap{
			{Kind: event.LapLoad, MS: a}, {Kind: event.LapTool, Title: title, MS: b, StartMS: start},
			{Kind: event.LapWrite, MS: a, StartMS: b},
		}}})
		tp.Ended = tape.Ending(ended % 4)
		tp.Spans = append(tp.Spans, tape.Span{Kind: tape.Wait, Start: time.Duration(start)})
		tp.Expected = tape.Span{Kind: tape.Write, Start: tp.Now, Length: time.Duration(expected)}
		w := int(width)
		if n := len(tp.Brief(w)); n != 0 && n != w {
			t.Errorf("the brief tape has %d cells, not %d", n, w)
		}
		for name, row := range map[string]string{"row": tape.Text(tp.Row(w)), "shrunk tape": tape.Text(tp.Shrunk(w))} {
			if got := ansi.StringWidthWc(row); got != w {
				t.Errorf("the %s has %d cells, not %d: %q", name, got, w, row)
			}
		}
		end := -1
		for _, l := range tp.Labels(w) {
			if l.At <= end || l.At+ansi.StringWidthWc(l.Text) > w {
				t.Errorf("%q at %d overlaps the label before, or the end at %d", l.Text, l.At, w)
			}
			end = l.At + ansi.StringWidthWc(l.Text)
		}
	})
}
