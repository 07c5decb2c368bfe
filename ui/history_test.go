package ui

import "testing"

func TestEditsOfRecalledMessagesStayUntilSent(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."), chunks(0, "C."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.typeText("draft").press("up").typeText(" edited").press("up").typeText(" too")
		d.sees("› one too")
		d.press("down")
		d.sees("› two edited")
		d.press("down")
		d.sees("› draft")
		d.press("up", "up")
		d.sees("› one too")
		d.press("enter").wait(second)
		d.sees("C.")
		for _, want := range []string{"one too", "draft", "two", "one"} {
			d.press("up")
			d.sees("› " + want + "\n")
		}
	})
}

func TestDraftComesBackAfterRecalledMessageIsCleared(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.typeText("draft").press("up", "up", "ctrl+c")
		d.sees("› Ask anything")
		d.press("up")
		d.sees("› draft\n")
		d.press("ctrl+c", "up").typeText("ed").press("up").typeText(" edited").press("ctrl+c")
		for _, want := range []string{"two edited", "drafted", "two", "one"} {
			d.press("up")
			d.sees("› " + want + "\n")
		}
	})
}

func TestRecalledMessageThatIsClearedIsNotKeptTwice(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.press("up", "up", "ctrl+c")
		d.typeText("draft").press("up")
		d.sees("› two\n")
		d.press("up")
		d.sees("› one\n")
		d.press("down", "down")
		d.sees("› draft\n")
	})
}

func TestBackslashBeforeEnterBeginsNewLine(t *testing.T) {
	model := says(chunks(0, "Fine."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("one\\\ntwo").press("left", "left", "left").typeText("\\\n")
		d.sees("› one\n\n  two")
		d.press("backspace", "end").typeText("\\\\\n").wait(second)
		d.sees("Fine.")
		if asked := model.Requests(); len(asked) != 1 || asked[0].Messages[len(asked[0].Messages)-1].Text != "one\ntwo\\\\" {
			t.Errorf("it was asked %+v", asked)
		}
	})
}
