package ui

import (
	"testing"
	"time"
)

func TestCopyCode(t *testing.T) {
	answer := "Here:\n\n```go\nx := 1\n```\n\n- or\n\n  ```\n  y\n  z\n  ```\n"
	drive(t, 80, 24, with(says(chunks(0, answer), chunks(0, "No code."))), func(d *driver) {
		d.press("alt+c").wait(time.Second)
		d.sees("No such block of code")
		for range 2 {
			d.typeText("go\n").wait(10 * time.Second)
		}
		for input, want := range map[string]string{
			"/copy":           "Copied 8 characters",
			"/copy code":      "Copied 2 lines",
			"/copy code 2":    "Copied 7 characters",
			"/copy code 3":    "No such block of code",
			"/copy code zero": "Usage: /copy",
			"/copy tables":    "Usage: /copy",
		} {
			d.typeText(input + "\n").wait(time.Second)
			d.sees(want)
			d.clear()
		}
		d.press("alt+c").wait(time.Second)
		d.sees("Copied 2 lines")
		d.typeText("draft").press("alt+c").wait(10 * time.Second)
		d.seesNot("Copied")
	})
}
