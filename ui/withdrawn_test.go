package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/transcript"
)

func TestWithdrawn(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		call := provider.ToolCall{ID: "1", Title: "Read File", Status: provider.CallOK}
		d.turn(
			provider.Thinking{Delta: "Read it first"}, provider.Appended{}, provider.ToolCalled{Call: call},
			provider.ToolFinished{Call: call},
			provider.Appended{}, provider.Thinking{Delta: "What was"}, provider.Text{Delta: "It says th"}, time.Second,
			provider.Withdrawn{}, time.Second,
			provider.Text{Delta: "It says hello."}, provider.Appended{}, provider.Withdrawn{}, time.Second, provider.Ended{},
		)
		d.wait(500 * time.Millisecond)
		d.sees("It says th", "Thought for a moment\n✓ Read File")
		d.wait(second)
		d.seesNot("It says")
		d.sees("Thought for a moment\n✓ Read File · 0s\n\n\n")
		d.wait(second)
		d.sees("✓ Read File · 0s\n\nIt says hello.")
	})
}

func TestWithdrawnWhileScrolledUp(t *testing.T) {
	drive(t, 80, 16, with(says()), func(d *driver) {
		for i := range 30 {
			d.m.transcript.Notice(transcript.Warn, fmt.Sprint("notice ", i))
		}
		d.turn(provider.Text{Delta: strings.Repeat("line\n\n", 5)}, time.Second, provider.Text{Delta: "more\n\n"},
			provider.Withdrawn{}, time.Second, provider.Ended{})
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
