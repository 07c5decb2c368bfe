package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/providertest"
)

// since returns the output during a story.
func (t *terminal) since(story func()) string {
	before := t.bytes()
	story()
	return t.raw.String()[before:]
}

func (t *terminal) has(written string, want ...string) {
	t.t.Helper()
	for _, w := range want {
		if n := strings.Count(written, w); n != 1 {
			t.t.Errorf("%q was written %d times", w, n)
		}
	}
}

func (t *terminal) hasNot(written string, not ...string) {
	t.t.Helper()
	for _, w := range not {
		if strings.Contains(written, w) {
			t.t.Errorf("%q was written", w)
		}
	}
}

func TestWindowTitle(t *testing.T) {
	program(t, 80, 24, wholeTurn(), func(term *terminal) {
		term.has(term.raw.String(), "\x1b]2;aloud · ready\a")
		turn := term.since(func() {
			term.types("go" + enter).wait(22 * time.Second)
			term.sees("Allow this call?")
		})
		term.has(turn, "\x1b]2;aloud · working\a", "\x1b]2;● aloud · waiting for you\a")
		term.hasNot(turn, "\x1b]9;") // you look
		rest := term.since(func() {
			term.types("y").wait(40 * time.Second)
			term.sees("✓ 1 tool")
		})
		term.has(rest, "\x1b]2;aloud · working\a", "\x1b]2;aloud · ready\a")
		term.has(term.since(term.leave), "\x1b]2;\a")
	})
}

func TestNotificationWithoutFocus(t *testing.T) {
	approval, answered := "\x1b]9;aloud: Delete File needs your approval\a\a", "\x1b]9;aloud: finished\a\a"
	program(t, 80, 24, wholeTurn(), func(term *terminal) {
		term.types("go" + enter)
		term.types(blur)
		term.has(term.since(func() { term.wait(time.Minute) }), approval)
		term.types(focus + "y" + blur)
		term.has(term.since(func() { term.wait(time.Minute) }), answered)
		term.types(focus)
		term.hasNot(term.since(term.leave), "\x1b]9;aloud")
	})
}

func TestNotificationOfSilence(t *testing.T) {
	o := with(says(chunks(9*time.Second, "Quick."), append(chunks(0, "Half"), providertest.Step{Block: true})))
	o.Notify = true
	program(t, 80, 24, o, func(term *terminal) {
		term.types("one" + enter + blur).wait(10 * time.Second)
		term.sees("Quick.")
		term.hasNot(term.raw.String(), "\x1b]9;")
		term.has(term.since(func() { term.types("two" + enter + blur).wait(2 * time.Minute) }),
			"\x1b]9;aloud: no output from the model\a")
		stopped := term.since(func() { term.types("\x1b[27u" + blur).wait(time.Second) }) // the escape key
		term.sees("Stopped")
		term.hasNot(stopped, "\x1b]9;")
		term.leave()
	})
}

func TestNotificationsOff(t *testing.T) {
	o := wholeTurn()
	o.Title, o.Notify = false, false
	program(t, 80, 24, o, func(term *terminal) {
		term.types("go" + enter + blur).wait(30 * time.Second)
		term.types("y" + blur).wait(time.Minute)
		term.leave()
		term.hasNot(term.raw.String(), "\x1b]2;", "\x1b]9;")
	})
}
