package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// reading is a chat whose first turn reads a file for twelve seconds.
func reading() Options {
	o := with(says(calls("files__read_file", `{"path":"notes.txt"}`), chunks(0, "Done.")))
	o.Tools.(*toolbox).takes = 12 * time.Second
	return o
}

func TestRunningToolHasClock(t *testing.T) {
	drive(t, 80, 24, reading(), func(d *driver) {
		d.typeText("go\n").wait(500 * time.Millisecond)
		d.sees("◌ Read File     notes.txt\n", "Using Read File… · 0s")
		for second := range 11 {
			d.wait(time.Second)
			clock := fmt.Sprintf(" · %ds", second+1)
			row := callRow("◌ Read File     notes.txt", strings.TrimPrefix(clock, " · "), 80)
			d.sees(row+"\n", "Using Read File…"+clock+" · ")
		}
		d.wait(time.Second)
		d.sees(callRow("✓ Read File     notes.txt  · done", "12s", 80) + "\n")
	})
}

// A sentence of the thinking is not repeated below it.
func TestPlanIsNotRepeatedBelowThinking(t *testing.T) {
	thinks := append(providertest.Reply{{Thinking: "I should look up the notes."}}, calls("files__read_file", "{}")...)
	o := with(says(thinks, thinks))
	o.Style = status.StyleSentence
	drive(t, 80, 24, o, func(d *driver) {
		d.m.options.Tools.(*toolbox).takes = 5 * time.Second
		d.typeText("go\n").wait(2 * time.Second)
		d.seesNot("Thought for")
		d.sees(`Read File · "Look up the notes" · 2s`)
		d.press("ctrl+o").wait(frame)
		d.sees("I should look up the notes.", "Using Read File… · 2s")
		d.press("ctrl+o").wait(frame)
		d.seesNot("Thought for")
		d.sees(`Read File · "Look up the notes" · 2s`)
		d.press("esc").wait(time.Second)
		d.press("ctrl+o")
		d.typeText("go\n").wait(2 * time.Second)
		d.sees("I should look up the notes.", "Using Read File… · 2s")
	})
}

func TestTextBeforeCallIsNotRepeated(t *testing.T) {
	o := with(says(append(chunks(0, "Let me look up the notes."), calls("files__read_file", "{}")...)))
	o.Style = status.StyleSentence
	drive(t, 80, 24, o, func(d *driver) {
		d.m.options.Tools.(*toolbox).takes = 5 * time.Second
		d.typeText("go\n").wait(2 * time.Second)
		d.sees("Let me look up the notes.", "Using Read File… · ")
	})
}

// Without a spinner, the row of a tool is drawn at steps only.
func TestRunningToolWithoutMotion(t *testing.T) {
	for name, motion := range map[string]status.Motion{"reduced": status.MotionReduced, "none": status.MotionNone} {
		o := reading()
		o.Motion = motion
		drive(t, 80, 24, o, func(d *driver) {
			d.typeText("go\n").wait(6 * time.Second)
			if !strings.Contains(d.screen(), "◌ Read File     notes.txt\n") {
				t.Errorf("%s: the row of the tool has a clock:\n%s", name, d.screen())
			}
			d.wait(10 * time.Second)
			d.sees(callRow("✓ Read File     notes.txt  · done", "12s", 80) + "\n")
		})
	}
	drive(t, 80, 24, reading(), func(d *driver) {
		d.typeText("go\n").wait(6 * time.Second)
		d.sees(callRow("◌ Read File     notes.txt", "6s", 80) + "\n")
		d.send(tea.BlurMsg{})
		d.wait(2 * time.Second)
		d.sees("notes.txt\n")
		d.send(tea.FocusMsg{})
		d.sees(callRow("◌ Read File     notes.txt", "8s", 80) + "\n")
	})
}

// A call that waits for approval does not run.
func TestClockOfToolWaitsForApproval(t *testing.T) {
	drive(t, 80, 24, with(says(calls("files__delete_file", `{"path":"a"}`), chunks(0, "Done."))), func(d *driver) {
		d.m.options.Tools.(*toolbox).takes = 5 * time.Second
		d.typeText("go\n").wait(10 * time.Second)
		d.sees("◌ Delete File   a\n", "Allow this call?")
		d.press("y").wait(3500 * time.Millisecond)
		d.sees(callRow("◌ Delete File   a", "3s", 80)+"\n", "Using Delete File… · 3s")
		d.wait(2 * time.Second)
		d.sees(callRow("✓ Delete File   a  · done", "5s", 80) + "\n")
	})
}

// While its server asks you, the clock of a tool stands still, like that of the turn.
func TestClockOfToolPausesForForm(t *testing.T) {
	asked(t, 80, 24, elicits("May I?", `{"type":"object","properties":{}}`), func(d *driver) {
		d.wait(20 * time.Second)
		d.sees("◌ Read File\n", "Files asks for input · 21s")
	})
}

// The clock of a tool does not move the reading position.
func TestClockOfToolDoesNotScroll(t *testing.T) {
	call := calls("files__read_file", `{"path":"notes.txt"}`)
	long := append(chunks(0, strings.Repeat("a line of text\n\n", 60)), call...)
	o := with(says(long, chunks(0, "Done.")))
	o.Tools.(*toolbox).takes = time.Hour
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("go\n").wait(2500 * time.Millisecond)
		d.sees(callRow("◌ Read File     notes.txt", "2s", 80) + "\n")
		d.press("pgup").wait(100 * time.Millisecond)
		above := strings.Join(d.m.transcript.View(), "\n")
		for range 20 {
			d.wait(time.Second)
			if now := strings.Join(d.m.transcript.View(), "\n"); now != above || d.m.transcript.Unseen() {
				t.Errorf("the view moved to\n%s\nfrom\n%s", now, above)
			}
		}
	})
}

// The clocks of several tools cost their rows, not the text above.
func TestBytesOfRunningTools(t *testing.T) {
	var three providertest.Reply
	for _, path := range []string{"a", "b", "c"} {
		three = append(three, calls("files__read_file", `{"path":"`+path+`"}`)...)
	}
	chinese := strings.Repeat("- 这是一行中文，说明今天的天气和许多别的事情。\n", 20)
	o := with(says(append(chunks(0, chinese), three...)))
	o.Tools.(*toolbox).takes = time.Hour
	program(t, 80, 40, o, func(term *terminal) {
		term.types("go" + enter).wait(3500 * time.Millisecond)
		for _, path := range []string{"a", "b", "c"} {
			term.sees(callRow("◌ Read File     "+path, "3s", 80))
		}
		term.sees("Using 3 tools: Read File, Read File, Read File · 3s")
		if most, mean := term.mostIn(10); most > 609 || mean > 489 {
			t.Errorf("a second is %d bytes, %d on average", most, mean)
		}
		term.leave()
	})
}
