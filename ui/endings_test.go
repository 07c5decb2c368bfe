package ui

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// TestRetryKeepsEarlierTurns: asking the last question again changes nothing above it, with a session or without.
func TestRetryKeepsEarlierTurns(t *testing.T) {
	blocked := append(chunks(0, "Half"), provider.Step{Block: true})
	drive(t, 80, 30, with(says(calls("files__read_file", `{"path":"a"}`), blocked, chunks(0, "Second."), chunks(0, "Third."))), func(d *driver) {
		d.typeText("One?\n")
		d.wait(3 * second)
		d.press("esc")
		d.wait(second)
		d.typeText("Two?\n")
		d.wait(second)
		above, _, _ := strings.Cut(d.screen(), "▌ Two?")
		d.typeText("/retry\n")
		d.wait(second)
		d.sees("Third.")
		d.seesNot("Second.")
		if now, _, _ := strings.Cut(d.screen(), "▌ Two?"); now != above {
			t.Errorf("above the question there is now\n%s\nit was\n%s", now, above)
		}
	})
}
