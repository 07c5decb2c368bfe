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

func TestSecondKeyOfChordNeverTypes(t *testing.T) {
	o := with(says())
	o.Keys = bound(t, keymap{"help": {"ctrl+x h", "Ctrl+X Ctrl+H"}})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("draft").press("ctrl+x", "a", "ctrl+x", "ctrl+u", "ctrl+x", "enter", "b")
		d.sees("› draftb\n")
		for _, key := range []string{"h", "ctrl+h"} {
			d.press("ctrl+x", key).wait(second)
			d.sees("Help")
			d.press("ctrl+x").typeText("redraw")
			d.sees("redraw the screen")
			d.press("esc", "esc")
			d.sees("› draftb\n")
		}
	})
}

func TestKeyOfEditorEndsSearch(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.typeText("draft").press("ctrl+r").typeText("x").press("ctrl+g")
		d.sees("› draft\n")
	})
}
