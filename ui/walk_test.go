package ui

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/providertest"
)

// twoReads is a chat whose first turn reads two files, whose long results fill the screen.
func twoReads() Options {
	read := func(words, path string) providertest.Reply {
		return append(chunks(0, words), calls("files__read_file", `{"path":"`+path+`"}`)...)
	}
	done := chunks(0, strings.Repeat("Done. \n\n", 20))
	o := with(says(read("I read a.", "a"), read("I read b.", "b"), done, blocked("Half")))
	tools := newToolbox()
	tools.result = mcpclient.Result{Text: strings.Repeat("row\n", 19) + "last row"}
	o.Tools, o.Parts.Chat.Tools = tools, tools
	return o
}

// top returns the first n rows of the screen.
func (d *driver) top(n int) string { return strings.Join(strings.Split(d.screen(), "\n")[:n], "\n") }

func TestArrowsWalkAlongReceipt(t *testing.T) {
	drive(t, 80, 30, twoReads(), func(d *driver) {
		d.typeText("Read\n").wait(5 * second)
		folded := d.screen()
		d.press("left", "right")
		if d.screen() != folded {
			t.Errorf("while the receipt is folded, a key moved the view:\n%s", d.screen())
		}
		d.press("ctrl+o")
		unfolded := d.screen()
		for _, step := range []struct{ key, row, hint string }{
			{"right", "▸ I read a.", "step 1 of 5"},
			{"right", "▸ ✓ Read File     a", "step 2 of 5"},
			{"right", "▸ I read b.", "step 3 of 5"},
			{"right", "▸ ✓ Read File     b", "step 4 of 5"},
			{"right", "▸ Done.", "step 5 of 5"},
			{"right", "▸ Done.", "step 5 of 5"},
			{"left", "▸ ✓ Read File     b", "step 4 of 5"},
		} {
			d.press(step.key)
			if top := d.top(2); !strings.HasPrefix(top, "  ↑ Read\n"+step.row) {
				t.Errorf("after %q the view begins with\n%s\nand not with %q", step.key, top, step.row)
			}
			d.sees(step.hint + " · ctrl+end to go down")
		}
		d.press("pgdown", "pgdown", "pgdown")
		d.sees("▸ 2  Read File · 1s")
		d.press("ctrl+end")
		if d.screen() != unfolded {
			t.Errorf("at the end the screen is\n%s\nand was\n%s", d.screen(), unfolded)
		}
		d.press("left")
		d.sees("step 5 of 5")
		d.press("ctrl+o", "ctrl+end", "ctrl+o")
		d.seesNot("▸")
	})
}

func TestViewStaysAtStep(t *testing.T) {
	drive(t, 80, 30, twoReads(), func(d *driver) {
		d.typeText("Read\n").wait(5 * second)
		d.typeText("More\n").wait(second)
		d.press("ctrl+o", "right", "right")
		before := d.top(20)
		d.press("esc").wait(2 * second)
		d.typeText("a draft").press("left", "left", "left")
		if now := d.top(20); now != before || !strings.Contains(now, "▸ ✓ Read File     a") {
			t.Errorf("the view was\n%s\nand is\n%s", before, now)
		}
		d.typeText("new ").press("end")
		d.sees("› a drnew aft")
	})
}
