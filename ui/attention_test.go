package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// since returns what is written during a story.
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

var ghostty = []string{"TERM_PROGRAM=ghostty"}

func TestTheWindowSaysHowItStands(t *testing.T) {
	programIn(t, 80, 24, ghostty, wholeTurn(), func(term *terminal) {
		term.has(term.raw.String(), "\x1b]2;aloud · ready · test:8b\a")
		turn := term.since(func() {
			term.types("go" + enter).wait(22 * time.Second)
			term.sees("May this run?")
		})
		term.has(turn, "\x1b]2;aloud · working · test:8b\a", "\x1b]9;4;3\a", "\x1b]2;● aloud · needs you · test:8b\a", "\x1b]9;4;4;100\a")
		term.hasNot(turn, "\x1b]9;aloud") // it is looked at
		rest := term.since(func() {
			term.types("y").wait(40 * time.Second)
			term.sees("✓ 1 tool")
		})
		term.has(rest, "\x1b]2;aloud · working · test:8b\a", "\x1b]9;4;3\a", "\x1b]2;aloud · ready · test:8b\a", "\x1b]9;4;0\a")
		term.hasNot(term.since(term.leave), "\x1b]9;4")
	})
}

func TestTheTaskbarIsClearedAtTheEnd(t *testing.T) {
	for _, end := range []func(term *terminal){
		func(term *terminal) { term.leave() },
		func(term *terminal) { term.prog.Kill(); term.wait(time.Second) },
	} {
		programIn(t, 80, 24, ghostty, aTool(status.MotionFull, ""), func(term *terminal) {
			term.types("go" + enter).wait(time.Second)
			term.has(term.raw.String(), "\x1b]9;4;3\a")
			term.has(term.since(func() { end(term) }), "\x1b]9;4;0\a", "\x1b]2;\a")
		})
	}
}

func TestTheTaskbarFollowsThePercent(t *testing.T) {
	o := with(says())
	o.Taskbar = true
	drive(t, 80, 24, o, func(d *driver) {
		d.m.Update(tea.EnvMsg(ghostty))
		if d.m.attention.progress(d.m.scene()) != nil {
			t.Error("there is progress while nobody works")
		}
		now := time.Now()
		d.turn(status.State{Phase: status.Loading, Since: now, At: now, Expected: 20 * time.Second}, 30*time.Second,
			status.State{Phase: status.UsingTool, Since: now, At: now, Part: 0.42}, 10*time.Second,
			provider.Ended{Result: provider.Result{Stop: provider.Stop{Reason: provider.Failed}}, Err: errors.New("gone")})
		want := func(state tea.ProgressBarState, value int) {
			t.Helper()
			if got := d.m.attention.progress(d.m.scene()); got == nil || *got != *tea.NewProgressBar(state, value) {
				t.Errorf("the progress is %v, not %v at %d", got, state, value)
			}
		}
		d.wait(5100 * time.Millisecond)
		want(tea.ProgressBarDefault, 25)
		d.send(tea.BlurMsg{}) // no clock runs: what it would say soon is not true
		want(tea.ProgressBarIndeterminate, 0)
		d.send(tea.FocusMsg{})
		d.wait(10 * time.Second)
		want(tea.ProgressBarDefault, 75)
		d.wait(6 * time.Second)
		want(tea.ProgressBarIndeterminate, 0) // the estimate is passed
		d.wait(10 * time.Second)
		want(tea.ProgressBarDefault, 42)
		d.send(tea.BlurMsg{})
		d.wait(20 * time.Second)
		want(tea.ProgressBarError, 100)
		d.send(tea.FocusMsg{})
		if p := d.m.attention.progress(d.m.scene()); p != nil {
			t.Errorf("the failure was seen, and the progress is %v", p)
		}
	})
}

func TestANotificationComesWhereNobodyLooks(t *testing.T) {
	approval, answered := "\x1b]9;aloud: Delete File needs your approval\a\a", "\x1b]9;aloud: test:8b has answered\a\a"
	programIn(t, 80, 24, ghostty, wholeTurn(), func(term *terminal) {
		term.types("go" + enter)
		term.types(blur)
		term.has(term.since(func() { term.wait(time.Minute) }), approval)
		term.types(focus + "y" + blur)
		term.has(term.since(func() { term.wait(time.Minute) }), answered)
		term.types(focus)
		term.hasNot(term.since(term.leave), "\x1b]9;aloud")
	})
}

func TestANotificationTellsOfSilenceAndNotOfWhatYouKnow(t *testing.T) {
	o := with(says(chunks(9*time.Second, "Quick."), append(chunks(0, "Half"), providertest.Step{Block: true})))
	o.Notify = true
	programIn(t, 80, 24, ghostty, o, func(term *terminal) {
		term.types("one" + enter + blur).wait(10 * time.Second)
		term.sees("Quick.")
		term.hasNot(term.raw.String(), "\x1b]9;")
		term.has(term.since(func() { term.types("two" + enter + blur).wait(2 * time.Minute) }), "\x1b]9;aloud: test:8b has fallen silent\a")
		stopped := term.since(func() { term.types("\x1b[27u" + blur).wait(time.Second) }) // the escape key, told apart from what follows
		term.sees("Stopped")
		term.hasNot(stopped, "\x1b]9;")
		term.leave()
	})
}

func TestAllOfThatCanBeSwitchedOff(t *testing.T) {
	o := wholeTurn()
	o.Title, o.Taskbar, o.Notify = false, false, false
	programIn(t, 80, 24, ghostty, o, func(term *terminal) {
		term.types("go" + enter + blur).wait(30 * time.Second)
		term.types("y" + blur).wait(time.Minute)
		term.leave()
		term.hasNot(term.raw.String(), "\x1b]2;", "\x1b]9;")
	})
}

func TestShortNames(t *testing.T) {
	for model, want := range map[string]string{
		"hf.co/someone/Qwen3-8B-GGUF:Q4_K_M": "Qwen3-8B-GGUF:Q4_K_M", "a-model-with-a-very-long-name:70b": "a-model-with…ng-name:70b",
		"": "The model", "someone/": "The model", "evil\x1b]0;owned\x07": "evil]0;owned", "模型模型模型": "模型模型模型",
	} {
		if got := shortName(model); got != want {
			t.Errorf("%q is %q in short, not %q", model, got, want)
		}
	}
}
