package status_test

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// busy is a turn in its second round: the step began 4 s ago, the turn has worked for 31 s.
var busy = status.State{
	Phase: status.UsingTool,
	Work:  status.Work{Tool: "Find User", Tools: 1, Server: "shop", Quote: "Looking up the user in the database"},
	Since: noon.Add(-4 * time.Second), Worked: 27 * time.Second, At: noon.Add(-4 * time.Second),
	Round: 2, Rounds: 10, Tokens: 412,
}

func TestLine(t *testing.T) {
	quiet := busy
	quiet.Heard = noon.Add(-12 * time.Second)
	heard := busy
	heard.Heard = noon.Add(-9 * time.Second)
	asked := busy
	asked.Phase, asked.Work, asked.Paused = status.Approval, status.Work{}, true
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
	hostile.Tool, hostile.Server, hostile.Quote = "Find\x1b[2J User", "shop\n\u202e", "Looking\x1b[2J up\r\n\"the\" user"
	rough := busy
	rough.Rough = true
	named := busy
	named.Quote = ""
	builtIn := named
	builtIn.Server = ""
	index := busy
	index.Tool, index.Done, index.Note = "Index Repository", "40/120", "README.md"
	three := busy
	three.Work = status.Using("Read File", "Search Issues", "Current Time")
	threeSaid := three
	threeSaid.Quote = "Reading the file"

	for name, c := range map[string]struct {
		state status.State
		want  string
	}{
		"everything": {busy,
			"Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"silence is told after 10 s": {quiet,
			"Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · ↓ 412 tok" +
				" · no output for 12s · esc stops"},
		"9 s are not silence": {heard,
			"Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"the turn's clock stands still": {asked,
			"Waiting for your approval · 4s · round 2/10 · 27s paused · ↓ 412 tok · esc stops"},
		"the first step has one clock": {first, "Analyzing request… · 4s · esc stops"},
		"no clock was started":         {status.State{Phase: status.Analyzing}, "Analyzing request… · esc stops"},
		"nothing counts after the end": {stopped, "Stopped: denied · esc stops"},
		"the time is used":             {finishing, "Finishing · 12s left · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"a pause within the step":      {paused, "Using a tool… · 1m07s · 8s · esc stops"},
		"a clock that was set back": {ahead,
			"Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 27s · ↓ 412 tok · esc stops"},
		"hostile words": {hostile,
			"Find[2J User on shop · \"Looking[2J up 'the' user\" · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"tokens counted here": {rough, "Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s" +
			" · ↓ about 412 tok · esc stops"},
		"no sentence":       {named, "Using Find User on shop… · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"a built-in server": {builtIn, "Using Find User… · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"progress": {index, "Index Repository on shop · 40/120 · README.md · \"Looking up the user in the database\" · 4s" +
			" · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"several tools": {three,
			"Using 3 tools: Read File, Search Issues, Current Time · 4s · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"several tools with a sentence": {threeSaid,
			"Using 3 tools: Read File, Search Issues, Current Time · \"Reading the file\" · 4s" +
				" · round 2/10 · 31s · ↓ 412 tok · esc stops"},
		"idle": {status.State{}, ""},
	} {
		if got := c.state.Line(noon, status.Drawing{Width: 200, Hint: "esc stops"}); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}
