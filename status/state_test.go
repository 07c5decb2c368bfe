package status_test

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/charmbracelet/x/ansi"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// busy is a turn in its second round: the step began 4 s ago, the turn has worked for 31 s.
var busy = status.State{
	Phase: status.UsingTool, Text: "Looking up user information in the database",
	Since: noon.Add(-4 * time.Second), Worked: 27 * time.Second, At: noon.Add(-4 * time.Second),
	Round: 2, Rounds: 10, Tokens: 412,
}

func TestLine(t *testing.T) {
	quiet := busy
	quiet.Heard = noon.Add(-12 * time.Second)
	heard := busy
	heard.Heard = noon.Add(-9 * time.Second)
	asked := busy
	asked.Phase, asked.Text, asked.Paused = status.Approval, "", true
	first := status.State{Phase: status.Analyzing, Since: noon.Add(-4 * time.Second), At: noon.Add(-4 * time.Second), Rounds: 10}
	stopped := busy
	stopped.Phase, stopped.Text = status.Stopped, "Stopped: denied"
	hostile := busy
	hostile.Text = "Looking\x1b[2J up\r\nthe user"

	for name, c := range map[string]struct {
		state status.State
		want  string
	}{
		"everything":                    {busy, "Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"silence is told after 10 s":    {quiet, "Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · no output for 12s · esc to stop"},
		"9 s are not silence":           {heard, "Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"the turn's clock stands still": {asked, "Waiting for your approval · 4s · round 2/10 · 27s paused · ↓ 412 tok · esc to stop"},
		"the first step has one clock":  {first, "Analyzing request… · 4s · esc to stop"},
		"no clock was started":          {status.State{Phase: status.Analyzing}, "Analyzing request… · esc to stop"},
		"nothing counts after the end":  {stopped, "Stopped: denied · esc to stop"},
		"hostile words":                 {hostile, "Looking[2J up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"idle":                          {status.State{}, ""},
	} {
		if got := c.state.Line(noon, status.Drawing{Width: 200, Hint: "esc to stop"}); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestLineDropsTheLeastImportantFirst(t *testing.T) {
	s := busy
	s.Heard = noon.Add(-12 * time.Second)
	var got []string
	for width := 120; width > 0; width-- {
		line := s.Line(noon, status.Drawing{Width: width, Hint: "esc to stop"})
		if len(got) == 0 || got[len(got)-1] != line {
			got = append(got, line)
		}
		if w := ansi.StringWidthWc(line); w > width {
			t.Fatalf("%q is %d cells wide, has %d", line, w, width)
		}
	}
	for i, want := range []string{
		"Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · no output for 12s · esc to stop",
		"Looking up user information in the database · 4s · round 2/10 · 31s · no output for 12s · esc to stop",
		"Looking up user information in the database · 4s · 31s · no output for 12s · esc to stop",
		"Looking up user information in the database · 4s · no output for 12s · esc to stop",
		"Looking up user information in the database · 4s · no output for 12s",
		"Looking up user information in the database · 4s",
		"Looking up user information in the database",
		"Looking up user information in the databa…",
	} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("step %d: want %q, the steps are %q", i, want, got)
		}
	}
	if line := s.Line(noon, status.Drawing{Width: 20, Hint: "esc to stop"}); line != "Looking up user inf…" {
		t.Errorf("20 cells show %q", line)
	}
}

func TestElapsed(t *testing.T) {
	later := noon.Add(time.Minute)
	if got := busy.Elapsed(later); got != 91*time.Second {
		t.Errorf("running: %v", got)
	}
	if got := busy.Elapsed(noon.Add(-time.Hour)); got != 27*time.Second {
		t.Errorf("a clock set back takes nothing away: %v", got)
	}
	paused := busy
	paused.Paused = true
	if got := paused.Elapsed(later); got != 27*time.Second {
		t.Errorf("paused: %v", got)
	}
	if got := (status.State{}).Elapsed(later); got != 0 {
		t.Errorf("not started: %v", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Looking up 長い文書 👩‍👩‍👧", "esc to stop", 30, 4, 2)
	f.Add("\x1b[31m\u202e", "\x1b", 1, -1, 0)
	f.Fuzz(func(t *testing.T, text, hint string, width, seconds, round int) {
		s := status.State{
			Phase: status.Thinking, Text: text, Since: noon, At: noon, Heard: noon, Worked: time.Minute,
			Round: round, Rounds: 10, Tokens: seconds,
		}
		line := s.Line(noon.Add(time.Duration(seconds)*time.Second), status.Drawing{Width: width, Hint: hint})
		if w := ansi.StringWidthWc(line); w > max(width, 0) {
			t.Errorf("%q is %d cells wide, has %d", line, w, width)
		}
		if sanitize.Text(line) != line {
			t.Errorf("%q is not safe", line)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		busy.Line(noon, status.Drawing{Width: 100, Hint: "esc to stop"})
	}
}
