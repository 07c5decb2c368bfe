package status_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/status"
)

var update = flag.Bool("update", false, "write the golden lines")

// phases are all phases except Idle, in the order of a turn.
var phases = []status.Phase{
	status.Connecting, status.Analyzing, status.Loading, status.Reading, status.Thinking, status.Selecting,
	status.UsingTool,
	status.Processing, status.Formulating, status.Approval, status.Retrying, status.Compacting, status.ToolFailed,
	status.Stopped,
}

// scene is a named moment of a turn.
type scene struct {
	name  string
	state status.State
}

// scenes are the moments in the golden lines: every phase of a turn, some at several times.
func scenes() []scene {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	first := func(p status.Phase, text string, step time.Duration) status.State {
		return status.State{Phase: p, Text: text, Since: ago(step), At: ago(step), Rounds: 10}
	}
	second := func(p status.Phase, text string, step time.Duration) status.State {
		return status.State{
			Phase: p, Text: text, Since: ago(step), Worked: 27 * time.Second, At: ago(step), Round: 2, Rounds: 10,
			Tokens: 412, Heard: ago(time.Second),
		}
	}
	loading := first(status.Loading, "Loading qwen3:14b…", 9*time.Second)
	loading.Paused, loading.Expected = true, 14*time.Second
	late := loading
	late.Expected = 9 * time.Second
	reading := first(status.Reading, "Reading about 12.4k tokens…", 6*time.Second)
	reading.Expected = 18 * time.Second
	asked := second(status.Approval, "", 64*time.Second)
	asked.Paused, asked.Heard = true, time.Time{}
	silent := second(status.Thinking, "", 40*time.Second)
	silent.Heard = ago(12 * time.Second)
	tool := func(work status.Work) status.State {
		s := second(status.UsingTool, "", 4*time.Second)
		s.Work = work
		return s
	}
	said := status.Using("Find User")
	said.Server, said.Quote = "shop", "Looking up the user in the database"
	index := status.Using("Index Repository").With(mcpclient.Progress{Done: 40, Total: 120, Message: "README.md"})
	return []scene{
		{"connecting", status.State{Phase: status.Connecting, Text: status.ConnectingTo(1, 3), Since: ago(2 * time.Second)}},
		{"analyzing", first(status.Analyzing, "", time.Second)},
		{"loading", loading},
		{"loading, longer than before", late},
		{"reading", reading},
		{"thinking", second(status.Thinking, "", 21*time.Second)},
		{"thinking, silent", silent},
		{"selecting", second(status.Selecting, "", 3*time.Second)},
		{"tool", tool(status.Using("Read File"))},
		{"tool with a name in Japanese", tool(status.Using("読む"))},
		{"tools", tool(status.Using("Read File", "Search Issues", "Current Time"))},
		{"tool with a sentence", tool(said)},
		{"tool with progress", tool(index)},
		{"processing", second(status.Processing, "", 5*time.Second)},
		{"formulating", second(status.Formulating, "", 8*time.Second)},
		{"approval", asked},
		{"retrying", second(status.Retrying, "Retrying (2/3)", 0)},
		{"compacting", second(status.Compacting, "", 2*time.Hour+3*time.Minute)},
		{"tool failed", second(status.ToolFailed, "Tool Read File failed, trying alternative approach…", 2*time.Second)},
		{"stopped", status.State{Phase: status.Stopped, Text: "Stopped: 10/10"}},
	}
}

func drawn(s scene, width int, still bool) string {
	return s.state.Line(noon, status.Drawing{Width: width, Hint: status.Stops("esc"), Still: still})
}

func TestEveryPhase(t *testing.T) {
	var b strings.Builder
	seen := map[status.Phase]bool{}
	for _, s := range scenes() {
		seen[s.state.Phase] = true
		fmt.Fprintf(&b, "%s\n", s.name)
		for _, still := range []bool{false, true} {
			for _, width := range []int{200, 80, 40} {
				line := drawn(s, width, still)
				if w := ansi.StringWidthWc(line); w > width {
					t.Errorf("%q is %d cells wide, has %d", line, w, width)
				}
				fmt.Fprintf(&b, "%s %3d %s\n", map[bool]string{false: "runs ", true: "still"}[still], width, line)
			}
		}
	}
	for _, p := range phases {
		if !seen[p] {
			t.Errorf("no line shows %q", p)
		}
	}
	golden(t, "lines.golden", b.String())
}

// golden compares with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has\n%s\ngot\n%s", name, want, got)
	}
}

func TestNarrowLine(t *testing.T) {
	silent, few, named, index, failed, tools, stalled := busy, busy, busy, busy, busy, busy, busy
	silent.Heard = noon.Add(-12 * time.Second)
	few.Tokens, named.Quote = 5, ""
	tools.Work = status.Using("Read File", "Search Issues", "Current Time")
	stalled.Phase, stalled.Work, stalled.Heard = status.Formulating, status.Work{}, silent.Heard
	index.Tool, index.Done, index.Note = "Index Repository", "40/120", "chapter 12 of a long book about birds"
	failed.Phase, failed.Work = status.ToolFailed, status.Work{}
	failed.Text = "Tool Read File failed, trying alternative approach…"
	for _, c := range []struct {
		state status.State
		width int
		want  string
	}{
		{silent, 129, "Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · ↓ 412 tok · " +
			"no output for 12s · esc stops"},
		{silent, 124, "Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · no output for " +
			"12s · esc stops"},
		{silent, 112, "Find User on shop · \"Looking up the user in the databa…\" · 4s · round 2/10 · 31s · no output for " +
			"12s · esc stops"},
		{silent, 91, "Using Find User on shop… · 4s · round 2/10 · 31s · no output for 12s · esc stops"},
		{silent, 72, "Using Find User… · 4s · round 2/10 · 31s · no output for 12s · esc stops"},
		{silent, 64, "Using Find User… · 4s · 31s · no output for 12s · esc stops"},
		{silent, 51, "Find User · 4s · no output for 12s · esc stops"},
		{silent, 45, "Find User · no output for 12s · esc stops"},
		{silent, 25, "Find User · esc stops"},
		{silent, 20, "Find User · 4s · 31s"},
		{silent, 8, "Find Us…"},
		{silent, 1, "…"},
		{silent, 0, ""},
		{silent, -1, ""},
		{busy, 104, "Find User on shop · \"Looking up the user in the database\" · 4s · round 2/10 · 31s · esc stops"},
		{busy, 78, "Find User on shop · \"Looking up the user…\" · 4s · round 2/10 · 31s · esc stops"},
		{busy, 38, "Using Find User… · 4s · esc stops"},
		{few, 72, "Find User on shop · \"Looking up th…\" · 4s · round 2/10 · 31s · esc stops"},
		{few, 71, "Using Find User on shop… · 4s · round 2/10 · 31s · ↓ 5 tok · esc stops"},
		{named, 70, "Using Find User on shop… · 4s · round 2/10 · 31s · esc stops"},
		{named, 50, "Using Find User on shop… · 4s · 31s · esc stops"},
		{index, 90, "Index Repository on shop · 40/120 · chapter 12 of a l… · 4s · round 2/10 · 31s · esc stops"},
		{index, 60, "Index Repository on shop · 40/120 · 4s · 31s · esc stops"},
		{index, 38, "Index Repository · 40/120 · esc stops"},
		{failed, 63, "Tool Read File failed, trying alternative approach… · esc stops"},
		{failed, 60, "Tool Read File failed, trying alternative appro… · esc stops"},
		{failed, 38, "Tool Read File failed, tr… · esc stops"},
		{failed, 28, "Tool Read File… · esc stops"},
		{tools, 76, "Using 3 tools: Read File, Search Issues, Current Time · 4s · 31s · esc stops"},
		{tools, 67, "Using 3 tools: Read File, Search Issues, … · 4s · 31s · esc stops"},
		{tools, 54, "Using 3 tools: Read File, Search Issues, … · esc stops"},
		{tools, 53, "Using 3 tools: Read File, Search Issues… · esc stops"},
		{stalled, 60, "Formulating response… · 4s · no output for 12s · esc stops"},
		{stalled, 52, "Formulating response… · 4s · silent 12s · esc stops"},
		{stalled, 37, "Formulating… · silent 12s · esc stops"},
		{stalled, 30, "Formulating respo… · esc stops"},
	} {
		if got := c.state.Line(noon, status.Drawing{Width: c.width, Hint: "esc stops"}); got != c.want {
			t.Errorf("%d cells show %q, want %q", c.width, got, c.want)
		}
	}
}

func TestLineWithEstimate(t *testing.T) {
	s := status.State{Phase: status.Loading, Text: "Loading qwen3:14b…", Since: noon, At: noon, Paused: true,
		Expected: 13_600 * time.Millisecond}
	for _, c := range []struct {
		after time.Duration
		width int
		want  string
	}{
		{0, 80, "Loading qwen3:14b · 0s of about 14s"},
		{9 * time.Second, 80, "Loading qwen3:14b · 9s of about 14s"},
		{9 * time.Second, 34, "Loading qwen3:14b · 9s"},
		{9 * time.Second, 21, "Loading qwen3:14b"},
		{13999 * time.Millisecond, 80, "Loading qwen3:14b · 13s of about 14s"},
		{14 * time.Second, 80, "Loading qwen3:14b… · 14s"},
		{time.Hour, 80, "Loading qwen3:14b… · 1h00m"},
	} {
		if got := s.Line(noon.Add(c.after), status.Drawing{Width: c.width}); got != c.want {
			t.Errorf("after %v: %q, want %q", c.after, got, c.want)
		}
	}
	for _, short := range []time.Duration{time.Second, 1499 * time.Millisecond, -time.Minute} {
		s.Expected = short
		if got := s.Line(noon, status.Drawing{Width: 80}); got != "Loading qwen3:14b… · 0s" {
			t.Errorf("an estimate of %v is told: %q", short, got)
		}
	}
}

func TestExpectedSilence(t *testing.T) {
	s := status.State{Phase: status.Reading, Since: noon, At: noon, Heard: noon, Expected: 18 * time.Second}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{12 * time.Second, "Reading · 12s of about 18s · stop"},
		{17 * time.Second, "Reading · 17s of about 18s · stop"},
		{18 * time.Second, "Reading… · 18s · no output for 18s · stop"},
	} {
		if got := s.Line(noon.Add(c.after), status.Drawing{Width: 80, Hint: "stop"}); got != c.want {
			t.Errorf("after %v: %q, want %q", c.after, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Looking up 長い文書 👩‍👩‍👧", "esc stops", 30, 4, 2, 0, false)
	f.Add("\x1b[31m\u202e", "\x1b", 1, -1, 0, 4, true)
	f.Add("", "按 esc 停止", 40, 12, 2, 9, false)
	f.Fuzz(func(t *testing.T, text, hint string, width, seconds, round, which int, still bool) {
		s := status.State{
			Phase: phases[uint(which)%uint(len(phases))], Text: text, Since: noon, At: noon, Heard: noon,
			Worked: time.Minute, Round: round, Rounds: 10,
			Tokens: seconds, Expected: time.Duration(round) * time.Second, Paused: which%3 == 0,
		}
		if round%2 != 0 {
			s.Text, s.Work = "", status.Work{Tool: text, Tools: round, Server: hint, Done: "1/2", Note: hint, Quote: text}
		}
		line := s.Line(noon.Add(time.Duration(seconds)*time.Second), status.Drawing{
			Width: width, Hint: hint, Still: still,
		})
		if w := ansi.StringWidthWc(line); w > max(width, 0) {
			t.Errorf("%q is %d cells wide, has %d", line, w, width)
		}
		if width > 0 && line == "" {
			t.Error("a line of nothing")
		}
		if sanitize.Text(line) != line || strings.Contains(line, "\n") || strings.Contains(line, "%!") &&
			!strings.Contains(sanitize.Line(text+hint), "%!") {
			t.Errorf("%q is not a safe line", line)
		}
	})
}
