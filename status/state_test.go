package status_test

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
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
	first := status.State{Phase: status.Analyzing, Since: noon.Add(-4 * time.Second), At: noon.Add(-4 * time.Second),
		Rounds: 10}
	stopped := busy
	stopped.Phase, stopped.Text = status.Stopped, "Stopped: denied"
	finishing := busy
	finishing.Phase, finishing.Text, finishing.Ends = status.Formulating, "Finishing…", noon.Add(11500*time.Millisecond)
	paused := status.State{Phase: status.UsingTool, Worked: 6 * time.Second, At: noon.Add(-2 * time.Second),
		Since: noon.Add(-67 * time.Second)}
	ahead := busy
	ahead.At = noon.Add(time.Hour)
	hostile := busy
	hostile.Text = "Looking\x1b[2J up\r\nthe user"

	for name, c := range map[string]struct {
		state status.State
		want  string
	}{
		"everything": {busy,
			"Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"silence is told after 10 s": {quiet,
			"Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · no output for 12s" +
				" · esc to stop"},
		"9 s are not silence": {heard,
			"Looking up user information in the database · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"the turn's clock stands still": {asked,
			"Waiting for your approval · 4s · round 2/10 · 27s paused · ↓ 412 tok · esc to stop"},
		"the first step has one clock": {first, "Analyzing request… · 4s · esc to stop"},
		"no clock was started":         {status.State{Phase: status.Analyzing}, "Analyzing request… · esc to stop"},
		"nothing counts after the end": {stopped, "Stopped: denied · esc to stop"},
		"the time is used":             {finishing, "Finishing · 12s left · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"a pause within the step":      {paused, "Using a tool… · 1m07s · 8s · esc to stop"},
		"a clock that was set back": {ahead,
			"Looking up user information in the database · 4s · round 2/10 · 27s · ↓ 412 tok · esc to stop"},
		"hostile words": {hostile,
			"Looking[2J up the user · 4s · round 2/10 · 31s · ↓ 412 tok · esc to stop"},
		"idle": {status.State{}, ""},
	} {
		if got := c.state.Line(noon, status.Drawing{Width: 200, Hint: "esc to stop"}); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}
