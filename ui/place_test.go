package ui

import (
	"strings"
	"testing"
	"time"
)

// rowOf returns the index of the first row with a text, or -1.
func (d *driver) rowOf(text string) int {
	before, _, found := strings.Cut(d.screen(), text)
	if !found {
		return -1
	}
	return strings.Count(before, "\n")
}

func TestFirstQuestionIsWhereWelcomeWas(t *testing.T) {
	drive(t, 200, 50, with(says(chunks(0, "It is noon."))), func(d *driver) {
		if row := d.rowOf("aloud"); row != 0 {
			t.Errorf("the welcome begins in row %d", row)
		}
		d.typeText("what time is it?").press("enter").wait(time.Second)
		if question, answer := d.rowOf("▌ what"), d.rowOf("It is noon."); question != 0 || answer != 2 {
			t.Errorf("the question is in row %d and the answer in row %d:\n%s", question, answer, d.screen())
		}
	})
}

func TestQuestionStaysOnTopWhileYouReadItsAnswer(t *testing.T) {
	o := with(says(chunks(0, strings.Repeat("one more line\n\n", 30)+"the end")))
	drive(t, 60, 20, o, func(d *driver) {
		d.typeText("tell me a lot").press("enter").wait(time.Second)
		d.seesNot("tell me a lot")
		d.press("pgup").wait(time.Second)
		if row := d.rowOf("↑ tell me a lot"); row != 0 {
			t.Errorf("the question is pinned in row %d:\n%s", row, d.screen())
		}
		d.press("ctrl+home").wait(time.Second)
		if row := d.rowOf("▌ tell me a lot"); row != 0 {
			t.Errorf("at the top, the question is in row %d:\n%s", row, d.screen())
		}
	})
}
