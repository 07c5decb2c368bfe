package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/transcript"
)

func TestWithdrawn(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		call := event.ToolCall{ID: "1", Title: "Read File", Status: event.CallOK}
		d.turn(
			event.Thinking{Delta: "Read it first"}, event.Appended{}, event.ToolCalled{Call: call},
			event.ToolFinished{Call: call},
			event.Appended{}, event.Thinking{Delta: "What was"}, event.Text{Delta: "It says th"}, time.Second,
			event.Withdrawn{}, time.Second,
			event.Text{Delta: "It says hello."}, event.Appended{}, event.Withdrawn{}, time.Second, event.Ended{},
		)
		d.wait(500 * time.Millisecond)
		d.sees("It says th", "✓ Read File")
		d.wait(second)
		d.seesNot("It says")
		d.sees(callRow("✓ Read File", "0s", 80) + "\n\n\n")
		d.wait(second)
		d.sees(callRow("✓ Read File", "0s", 80) + "\n\nIt says hello.")
	})
}

func TestWithdrawnWhileScrolledUp(t *testing.T) {
	drive(t, 80, 16, with(says()), func(d *driver) {
		for i := range 30 {
			d.m.transcript.Notice(transcript.Warn, fmt.Sprint("notice ", i))
		}
		d.turn(event.Text{Delta: strings.Repeat("line\n\n", 5)}, time.Second, event.Text{Delta: "more\n\n"},
			event.Withdrawn{}, time.Second, event.Ended{})
		d.press("pgup", "pgup", "pgup")
		above := func() string { return strings.Join(strings.Split(d.screen(), "\n")[:d.m.regions.transcript], "\n") }
		before := above()
		d.wait(1500 * time.Millisecond)
		if now := above(); now != before {
			t.Errorf("the view was\n%s\nand is\n%s", before, now)
		}
		d.press("ctrl+end")
		d.sees("notice 29")
		d.seesNot("line", "more")
	})
}
