package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// seesTape checks the cells at the beginning of the tape, with those before them as "9━" for nine cells, and the labels
// below.
func (d *driver) seesTape(tape, labels string) {
	d.t.Helper()
	rows := strings.Split(d.screen(), "\n")
	composer := len(rows) - 2
	if labels == "" {
		labels = rows[composer-1]
	}
	if got := rows[composer-2]; got != tape || rows[composer-1] != labels {
		d.t.Errorf("the tape is\n%s\n%s\nand not\n%s\n%s", got, rows[composer-1], tape, labels)
	}
}

// drawn returns cells by their number: drawn(100, "━", 30, "●", 1) with the rule up to the width.
func drawn(width int, cells ...any) string {
	row, n := "", 0
	for i := 0; i < len(cells); i += 2 {
		row += strings.Repeat(cells[i].(string), cells[i+1].(int))
		n += cells[i+1].(int)
	}
	return row + strings.Repeat("─", width-n)
}

// The whole turn with the clock of the test: each kind of work has its cells, an approval is a gap that counts no time,
// and the scale grows by two.
func TestTapeOfTurn(t *testing.T) {
	drive(t, 100, 30, wholeTurn(), func(d *driver) {
		d.seesTape(drawn(100), "")
		d.typeText("go\n").wait(3 * second)
		d.seesTape(drawn(100, "━", 30, "●", 1), "now 3s")
		d.wait(4 * second)
		d.seesTape(drawn(100, "━", 50, "┅", 20, "●", 1), "load 5s"+strings.Repeat(" ", 43)+"now 2s")
		d.wait(5 * second)
		d.seesTape(drawn(100, "━", 25, "┅", 25, "─", 10, "●", 1),
			"load 5s                  read 5s                  now 2s")
		d.until("Allow this call?")
		d.wait(time.Minute)
		d.press("y").wait(4200 * time.Millisecond)
		d.seesTape(drawn(100, "━", 13, "┅", 12, "─", 13, "═", 12, " ", 1, "▓", 7, "●", 1),
			"load 5s      read 5s     think 5s     write 5s     now 3s")
		d.until("Processing tool results")
		d.wait(2 * second)
		d.sees("▓·····●──", "Delete File 12s")
		d.until("✓ 1 tool")
		d.wait(second)
		d.seesTape(drawn(100), "")
	})
}

// Only a time that earlier runs have taken is drawn as expected, and only while it is.
func TestTapeExpectsWhatEarlierRunsTook(t *testing.T) {
	last := providertest.Step{Done: "stop", Usage: provider.Usage{PromptTokens: 40, AnswerTokens: 2, Load: 9 * second,
		Prompt: second, Answer: second}}
	o := with(&providertest.Script{Forever: true, Replies: []providertest.Reply{{
		{Phase: provider.PhaseLoading}, {Wait: 9 * second, Text: "Do"}, {Wait: 2 * second, Text: "ne."}, last,
	}}})
	o.Chat.Pace = pace.Open("", "http://here")
	drive(t, 100, 30, o, func(d *driver) {
		d.typeText("go\n").wait(4 * second)
		d.seesTape(drawn(100, "━", 40, "●", 1), "now 4s")
		d.wait(10 * second)
		d.typeText("go\n").wait(4 * second)
		d.seesTape(drawn(100, "━", 40, "●", 1, "╌", 49), "now 4s"+strings.Repeat(" ", 71)+"about 5s more")
		d.wait(6 * second)
		d.seesTape(drawn(100, "━", 90, "═", 9, "●", 1), "load 9s"+strings.Repeat(" ", 83)+"now 1s")
	})
}

func TestTapeEndsInLimit(t *testing.T) {
	read := calls("files__read_file", `{"path":"a"}`)
	o := with(&providertest.Script{Forever: true, Replies: []providertest.Reply{read}})
	o.Chat.Limits.Iterations = 1
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("go\n").wait(5 * second)
		d.sees("Stopped", "▓■──")
		if !strings.Contains(d.m.View().Content, d.m.look.Warn.Render("■")+d.m.look.Faint.Render("─")[:5]) {
			t.Errorf("the mark has another colour than a warning:\n%q", d.m.View().Content)
		}
		d.typeText("/clear\n")
		d.seesNot("■")
	})
}

func TestTapeEndsInFailure(t *testing.T) {
	model := &providertest.Script{Forever: true, Replies: []providertest.Reply{{{Text: "It"},
		{Wait: 2 * second, Err: &provider.Error{Text: "no memory"}}}}}
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("go\n").wait(5 * second)
		d.sees(drawn(80, "═", 16, "✗", 1))
		if !strings.Contains(d.m.View().Content, d.m.look.Err.Render("✗")) {
			t.Errorf("the mark has another colour than an error:\n%q", d.m.View().Content)
		}
		d.typeText("go\n").wait(second / 2)
		d.seesNot("═✗")
	})
}

func TestTapeNeedsRoom(t *testing.T) {
	for _, c := range []struct {
		width, height int
		tape, labels  bool
	}{
		{200, 50, true, true}, {60, 24, true, true}, {59, 24, true, false}, {80, 23, true, false}, {40, 15, true, false},
		{80, 12, true, false}, {80, 11, false, false}, {20, 5, false, false},
	} {
		drive(t, c.width, c.height, wholeTurn(), func(d *driver) {
			d.typeText("go\n").wait(3 * second)
			if got := strings.Contains(d.screen(), "━●─"); got != c.tape {
				t.Errorf("at %dx%d it is %t that there is a tape:\n%s", c.width, c.height, got, d.screen())
			}
			if got := strings.Contains(d.screen(), "\nnow 3s\n"); got != c.labels {
				t.Errorf("at %dx%d it is %t that there are labels:\n%s", c.width, c.height, got, d.screen())
			}
		})
	}
}

// The composer stays where it is when a turn begins and ends.
func TestTapeMovesNothing(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(second, "It", " is", " so."))), func(d *driver) {
		row := func() int { return strings.Count(strings.Split(d.screen(), "› Ask")[0], "\n") }
		idle := row()
		d.typeText("go\n")
		d.watch(6*second, func(tea.Msg) {
			if at := row(); at != idle {
				t.Fatalf("the composer went from row %d to %d:\n%s", idle, at, d.screen())
			}
		})
	})
}

func TestTapeWithoutColours(t *testing.T) {
	drive(t, 100, 30, wholeTurn(), func(d *driver) {
		d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		d.typeText("go\n").wait(12 * second)
		d.seesTape(drawn(100, "━", 25, "┅", 25, "─", 10, "●", 1), "")
		if strings.Contains(d.m.View().Content, "38;") {
			t.Errorf("there are colours:\n%q", d.m.View().Content)
		}
	})
}

// Without a spinner the tape moves when a step begins, and names no time that would go on.
func TestTapeWithReducedMotion(t *testing.T) {
	o := wholeTurn()
	o.Motion = status.MotionReduced
	drive(t, 100, 30, o, func(d *driver) {
		d.typeText("go\n").wait(7 * second)
		d.seesTape(drawn(100, "━", 50, "●", 1), "load 5s")
		d.wait(2 * second)
		d.seesTape(drawn(100, "━", 50, "●", 1), "load 5s")
		d.wait(2 * second)
		d.seesTape(drawn(100, "━", 50, "┅", 49, "●", 1), "load 5s"+strings.Repeat(" ", 43)+"read 5s")
	})
}

func TestTapeWhileScrolledUp(t *testing.T) {
	long := strings.Repeat("a line of text\n\n", 60)
	o := with(says(append(chunks(0, long), calls("files__read_file", `{"path":"notes.txt"}`)...), chunks(0, "Done.")))
	o.Tools.(*toolbox).takes = time.Hour
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("go\n").wait(2 * second)
		d.press("pgup").wait(second)
		hint := " scrolled up · ctrl+end to go down ──"
		d.seesTape(drawn(80-len([]rune(hint)), "▓", 24, "●", 1)+hint, "now 3s")
	})
}
