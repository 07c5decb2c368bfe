package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// turn runs a turn of these events; a time.Duration lets time pass.
func (d *driver) turn(script ...any) {
	d.exec(d.m.begin(d.m.talk.begin(d.m.ctx, events(script...))))
	d.wait(time.Millisecond)
}

// silent runs a turn whose reply begins, and is silent from then on for ten minutes. again counts how often it was asked for anew.
func silent(t *testing.T, width int, story func(d *driver, again *int)) {
	drive(t, width, 20, with(says()), func(d *driver) {
		writing := status.State{Phase: status.Formulating, Heard: time.Now(), At: time.Now()}
		d.turn(provider.Status{State: writing}, provider.Text{Delta: "It begins"}, time.Minute, provider.Stalled{Silence: time.Minute},
			10*time.Minute, provider.Text{Delta: " and goes on"}, time.Minute, provider.Ended{Result: provider.Result{Stop: provider.Stop{Reason: provider.Done}}})
		d.wait(59 * second)
		d.seesNot("w wait")
		d.wait(2 * second)
		again := 0
		d.m.stall.again = func() { again++ }
		story(d, &again)
	})
}

func TestAStallIsOffered(t *testing.T) {
	for width, want := range map[int]string{
		80: "● No output for 1m01s · w wait · r ask again · esc stop",
		50: "● 1m01s · w wait · r ask again · esc stop",
		36: "● 1m01s · w wait · r again · esc",
	} {
		silent(t, width, func(d *driver, _ *int) {
			d.sees(want)
			d.wait(10 * time.Minute)
			d.sees("It begins and goes on")
			d.seesNot("w wait", "r again")
		})
	}
}

func TestAStallIsAnswered(t *testing.T) {
	t.Run("wait", func(t *testing.T) {
		silent(t, 80, func(d *driver, again *int) {
			d.press("w")
			d.sees("● enter wait · type on to write", "› w")
			d.press("enter")
			d.wait(second)
			d.sees("› Ask anything", "no output for 1m")
			d.seesNot("w wait")
			if *again > 0 {
				t.Error("the reply was asked for again")
			}
		})
	})
	t.Run("again", func(t *testing.T) {
		silent(t, 80, func(d *driver, again *int) {
			d.press("r")
			d.wait(time.Minute)
			d.sees("● enter ask again · type on to write", "› r")
			if *again > 0 {
				t.Error("a letter that may begin a question was taken by itself")
			}
			d.press("enter")
			d.seesNot("ask again", "↳ r", "› r")
			if *again != 1 {
				t.Errorf("the reply was asked for again %d times", *again)
			}
		})
	})
	t.Run("stop", func(t *testing.T) {
		silent(t, 80, func(d *driver, again *int) {
			d.press("esc")
			d.wait(second)
			d.sees("Stopped")
			d.seesNot("r ask again")
		})
	})
}

func TestASilentReplyIsAskedForAgain(t *testing.T) {
	model := says(append(chunks(0, "It begins"), provider.Step{Block: true}), chunks(second, "Here it is."))
	drive(t, 80, 20, with(model), func(d *driver) {
		d.typeText("Go\n")
		d.wait(61 * second)
		d.sees("It begins", "r ask again")
		d.press("r", "enter")
		d.wait(second)
		d.seesNot("It begins", "r ask again")
		d.wait(2 * second)
		d.sees("Here it is.\n\n✓ ")
		d.seesNot("It begins", "stopped here")
	})
}

func TestWhoIsTypingDoesNotAskAgain(t *testing.T) {
	silent(t, 80, func(d *driver, again *int) {
		for _, r := range "r and what?" { // a slow typist
			d.typeText(string(r))
			d.wait(2 * second)
		}
		d.sees("› r and what?", "no output for 1m")
		d.seesNot("r ask again")
		d.press("enter")
		d.sees("↳ r and what?", "r ask again")
		d.send(tea.PasteMsg{Content: "r"})
		d.wait(second)
		d.sees("› r")
		d.press("backspace")
		d.typeText("/tools\n")
		d.seesNot("r ask again")
		d.typeText("r")
		d.wait(second)
		d.press("esc")
		d.sees("r ask again")
		d.press("r")
		d.send(tea.PasteMsg{Content: "ead this"})
		d.wait(second)
		d.sees("› read this")
		if *again > 0 {
			t.Error("the reply was asked for again")
		}
	})
}

// Before its first piece a reply is offered to be asked anew, too, and what is said is true of it.
func TestAStallBeforeTheFirstPiece(t *testing.T) {
	o := with(says())
	o.Chat.Interactive = true
	drive(t, 80, 20, o, func(d *driver) {
		reading := status.State{Phase: status.Reading, Text: "Reading 12.4k tokens…", Since: time.Now(), At: time.Now()}
		d.turn(provider.Status{State: reading}, 5*time.Minute, provider.Stalled{Silence: 5 * time.Minute}, 10*time.Minute, provider.Text{Delta: "Here"}, time.Hour)
		d.wait(4 * time.Minute)
		d.sees("Reading 12.4k tokens… · 4m00s · esc to stop")
		d.wait(64 * second)
		d.sees("● No output for 5m04s · w wait · r ask again · esc stop")
		d.seesNot("Reading")
		d.m.stall.again = func() {} // as the provider's does
		d.press("w", "enter")
		d.wait(second)
		d.sees("Reading 12.4k tokens… · 5m05s")
	})
}

func TestAStallWhereNobodyLooks(t *testing.T) {
	silent(t, 80, func(d *driver, _ *int) {
		since := d.m.stall.since.Format(time.TimeOnly)
		d.send(tea.BlurMsg{})
		d.sees("● No output since " + since + " · w wait · r ask again · esc stop")
		away := d.screen()
		d.wait(time.Minute)
		if now := d.screen(); now != away {
			t.Errorf("it went on:\n%s", now)
		}
		d.send(tea.FocusMsg{})
		d.sees("● No output for 2m01s · w wait")
	})
}

func TestAStallSpeaksTheLanguageOfTheLine(t *testing.T) {
	for language, want := range map[status.Language]string{
		status.Chinese:  "● 1m01s 无输出 · w 继续等待 · r 重新请求 · esc 停止",
		status.Spanish:  "● 1m01s sin respuesta · w esperar · r pedir de nuevo · esc detener",
		status.German:   "● 1m01s ohne Ausgabe · w warten · r neu anfragen · esc stoppen",
		status.Japanese: "● 1m01s 応答なし · w 待つ · r もう一度頼む · esc 停止",
	} {
		o := with(says(append(chunks(0, "It begins"), provider.Step{Block: true})))
		o.Chat.Language = language
		drive(t, 90, 20, o, func(d *driver) {
			d.typeText("Go\n")
			d.wait(20 * second)
			d.sees(language.ToRetry("esc", "/retry"))
			d.wait(41 * second)
			d.sees(want)
		})
	}
}
