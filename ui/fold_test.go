package ui

import (
	"strings"
	"testing"
	"time"
)

// Calls of one tool take one row, and the next call runs in the row of the one before.
func TestCallsOfOneToolTakeOneRow(t *testing.T) {
	read := func(path string) []string { return []string{"files__read_file", `{"path":"` + path + `"}`} }
	a, b, c := read("a.txt"), read("b.txt"), read("c.txt")
	o := with(says(calls(a[0], a[1]), calls(b[0], b[1]), calls(c[0], c[1]), chunks(0, "Done.")))
	o.Tools.(*toolbox).takes = 2 * time.Second
	drive(t, 80, 40, o, func(d *driver) {
		d.typeText("go\n").wait(1900 * time.Millisecond)
		d.sees("◌ Read File     a.txt")
		d.wait(2 * time.Second)
		d.sees("✓ Read File     a.txt  · done", "◌ Read File     b.txt")
		row := strings.Count(strings.Split(d.screen(), "◌")[0], "\n")
		d.wait(2 * time.Second)
		d.sees(callRow("✓ Read File ×2  a.txt, b.txt", "4s", 80), "◌ Read File     c.txt")
		if now := strings.Count(strings.Split(d.screen(), "◌")[0], "\n"); now != row {
			t.Errorf("the running call moved from row %d to row %d", row, now)
		}
		d.wait(3 * time.Second)
		d.sees(callRow("✓ Read File ×3  a.txt, b.txt, c.txt", "6s", 80), "Done.")
		d.press("ctrl+o").wait(frame)
		d.sees("✓ Read File     a.txt", "✓ Read File     b.txt", "✓ Read File     c.txt")
		d.seesNot("×3")
	})
}
