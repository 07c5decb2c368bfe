package transcript

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status/tape"
	"github.com/aloudchat/aloud/ui/look"
)

// twoRounds is a turn that used three tools in two rounds.
func twoRounds() event.Result {
	return event.Result{
		Stop: event.Stop{Reason: event.Done}, Rounds: 2, ToolCalls: make([]event.ToolCall, 3),
		Usage: event.TurnUsage{PromptTokens: 2100, AnswerTokens: 412},
		Timing: event.Timing{Load: 9000, Prompt: 3000, Answer: 13_000, Tools: 2400, Total: 18_000, Steps: []event.Lap{
			{Kind: event.LapLoad, MS: 9000},
			{Kind: event.LapRead, Tokens: 2100, MS: 3000},
			{Kind: event.LapWrite, Tokens: 38, MS: 1260},
			{Kind: event.LapTool, Round: 1, Title: "Read File", Status: event.CallOK, MS: 400},
			{Kind: event.LapTool, Round: 1, Title: "Search\x1b[2J Issues", Status: event.CallError, MS: 2000},
			{Kind: event.LapWrite, Round: 1, Tokens: 20, MS: 1000},
			{Kind: event.LapTool, Round: 2, Title: "Get\nTime\u202e", Status: event.CallDenied, MS: 10},
			{Kind: event.LapWrite, Round: 2, Tokens: 354, MS: 10_700},
		}},
	}
}

const folded, unfolded = "✓ 3 tools · load 9s · read 2.1k tok 3s · 412 tok at 31/s · 18s", `
     load 9s
     read 2.1k tok 3s
     38 tok at 30/s · 1s
  1  Read File · 0.4s
     Search[2J Issues · 2s · error
     20 tok at 20/s · 1s
  2  Get Time · 0s · denied
     354 tok at 33/s · 11s`

// textReceipt returns the receipt of a result without its tape.
func textReceipt(r event.Result) *receiptEntry {
	e := newReceipt(r)
	if e != nil {
		e.tape = tape.Tape{}
	}
	return e
}

// receiptAt draws the receipt of a result, without colours.
func receiptAt(t *testing.T, r event.Result, width int, details, whole bool) string {
	t.Helper()
	e := textReceipt(r)
	if e == nil {
		return ""
	}
	rows := e.lines(width, &look.Look{Styles: look.NewStyles(true), Details: details, Whole: whole})
	checkRows(t, rows, width, ansi.WcWidth)
	return ansi.Strip(strings.Join(rows, "\n"))
}

func TestReceiptFolds(t *testing.T) {
	if got := receiptAt(t, twoRounds(), 80, false, false); got != folded {
		t.Errorf("folded\n%s", got)
	}
	if got := receiptAt(t, twoRounds(), 80, true, false); got != folded+unfolded {
		t.Errorf("unfolded\n%s", got)
	}
	for width, want := range map[int]string{
		62: folded, 61: "✓ 3 tools · load 9s · read 2.1k tok 3s · 18s", 40: "✓ 3 tools · load 9s · 18s",
		20: "✓ 3 tools · 18s", 8: "✓ 3 too…", 1: "…",
	} {
		if got := receiptAt(t, twoRounds(), width, false, false); got != want {
			t.Errorf("%d cells: %q, want %q", width, got, want)
		}
		receiptAt(t, twoRounds(), width, true, false)
	}
}

func TestReceiptsOfShortTurns(t *testing.T) {
	steps := twoRounds().Timing.Steps
	turn := func(reason event.Reason, tokens, load, total int64, steps ...event.Lap) event.Result {
		return event.Result{
			Stop: event.Stop{Reason: reason}, Usage: event.TurnUsage{AnswerTokens: int(tokens)},
			Timing: event.Timing{Load: load, Total: total, Steps: steps},
		}
	}
	const all = "■ Stopped by you · load 9s · 18s\n" +
		"  load 9s\n  read 2.1k tok 3s\n  38 tok at 30/s · 1s\n  Read File · 0.4s"
	for want, r := range map[string]event.Result{
		all:                               turn(event.Cancelled, 0, 9000, 18_000, steps[:4]...),
		"✓ 3 tok · 0s":                    turn(event.Done, 3, 0, 0, event.Lap{Kind: event.LapWrite, Tokens: 3}),
		"■ Stopped by you · load 9s · 9s": turn(event.Cancelled, 0, 9000, 9100, steps[0]),
		"■ Stopped by you · 0.2s":         turn(event.Cancelled, 0, 0, 200),
		"":                                turn(event.Done, 0, 0, 200),
	} {
		if got := receiptAt(t, r, 80, true, false); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestReceiptsOfLongTurns(t *testing.T) {
	r := twoRounds()
	title := strings.Repeat("wide 世界 ", 5000)
	for i := range 10_000 {
		r.Timing.Steps = append(r.Timing.Steps, event.Lap{Kind: event.LapTool, Round: i, Title: title, MS: 1})
	}
	laps := newReceipt(r).laps
	text := strings.Join(laps, "\n")
	if len(text) > keptLaps*(longLap+20) || len(laps) != keptLaps+1 ||
		!strings.HasSuffix(text, "  and 9,908 more") {
		t.Errorf("kept are %d bytes, at the end %q", len(text), text[len(text)-40:])
	}
	receiptAt(t, r, 80, true, false)
}

func TestReceiptHasTapeAndWaterfall(t *testing.T) {
	r := twoRounds()
	for i, start := range []int64{0, 9000, 12_000, 13_260, 13_300, 15_300, 16_300, 16_310} {
		r.Timing.Steps[i].StartMS = start
	}
	draw := func(width int, details bool) []string {
		e := newReceipt(r)
		rows := e.lines(width, &look.Look{Styles: look.NewStyles(true), Details: details})
		checkRows(t, rows, width, ansi.WcWidth)
		return strings.Split(ansi.Strip(strings.Join(rows, "\n")), "\n")
	}
	if got := draw(100, false); len(got) != 1 || !strings.HasPrefix(got[0], "━━━┅═▓════  ✓ 3 tools · ") {
		t.Errorf("folded: %q", got)
	}
	got := draw(100, true)
	for _, want := range []string{"━", "┅", "═", "▓"} {
		if !strings.Contains(got[1], want) {
			t.Errorf("the tape has no %q: %q", want, got[1])
		}
	}
	if load, tool := got[2], got[5]; !strings.Contains(load, "load 9s") || !strings.Contains(load, " ━━") ||
		!strings.Contains(tool, "Read File · 0.4s") || strings.Index(tool, "▓") <= strings.Index(load, "━") {
		t.Errorf("the waterfall is\n%s", strings.Join(got, "\n"))
	}
	if got := draw(40, true); strings.Contains(strings.Join(got, ""), "━") {
		t.Errorf("a narrow receipt has a tape: %q", got)
	}
}
