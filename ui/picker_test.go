package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestWhatIsLookedForIsShort: the list is searched and drawn for each key, and what is at the end of a long path is seen while it is written.
func TestWhatIsLookedForIsShort(t *testing.T) {
	drive(t, 40, 24, with(says()), func(d *driver) {
		d.typeText("/model\n")
		d.send(tea.PasteMsg{Content: strings.Repeat("long ", 1<<20)})
		d.wait(time.Millisecond)
		d.sees("Too long for this line: not pasted")
		d.seesNot("filter long")
		d.send(tea.PasteMsg{Content: "/home/somebody/" + strings.Repeat("deep/", 20)})
		d.typeText("end")
		d.sees("filter …", "deep/end▏")
	})
}
