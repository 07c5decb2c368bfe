package ui

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// turn runs a turn of these events until its first step is drawn. A time.Duration lets time pass.
func (d *driver) turn(script ...any) {
	d.start(script...)
	d.wait(status.Shortest + time.Millisecond)
}

// start begins a turn of these events and states of the line. A time.Duration lets time pass.
func (d *driver) start(script ...any) {
	begin, show := events(script...)
	run := d.m.begin(begin)
	show(d.m.talk.turn)
	d.exec(run)
}

// The chat waits for a silent reply. The status row shows for how long, and what you can do.
func TestSilentReply(t *testing.T) {
	model := says(append(chunks(0, "It begins"), providertest.Step{Block: true}), chunks(second, "Here it is."))
	drive(t, 80, 20, with(model), func(d *driver) {
		d.typeText("Go\n").wait(20 * second)
		d.sees("no output for 20s · esc stops")
		d.wait(10 * time.Minute)
		d.sees("It begins", "no output for 10m20s · esc stops")
		d.press("esc")
		d.typeText("/retry\n").wait(2 * second)
		d.sees("Here it is.\n\n✓ ")
	})
}

// The text about silence disappears with the frame that shows the next piece.
func TestSilenceEnds(t *testing.T) {
	begins, goes := chunks(0, "It begins"), chunks(12*second+second/2, " and goes on.")
	drive(t, 80, 20, with(says(append(begins, append(goes, providertest.Step{Block: true})...))), func(d *driver) {
		d.typeText("Go\n").wait(12 * second)
		d.sees("no output for 12s")
		d.wait(second * 6 / 10)
		d.sees("It begins and goes on.")
		d.seesNot("no output")
	})
}
