package ui

import "testing"

func TestEditingKeysOfReadline(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "Fine."))), func(d *driver) {
		d.typeText("one two three").press("ctrl+w", "ctrl+w", "ctrl+y")
		d.sees("› one two three\n")
		d.press("ctrl+_")
		d.sees("› one\n")
		d.press("ctrl+^")
		d.sees("› one two three\n")
		d.press("ctrl+u")
		d.sees("› Ask anything")
		d.press("ctrl+_", "enter").wait(second)
		d.sees("▌ one two three", "Fine.")
		d.press("ctrl+_")
		d.sees("› Ask anything")
		d.press("ctrl+y", "alt+y")
		d.sees("› two three\n")
	})
}
