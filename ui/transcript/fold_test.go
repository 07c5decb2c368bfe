package transcript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

// reads runs calls that read files, and returns the scribe. A call with "!" before its file fails, one with "?" waits.
func reads(tr *Transcript, files ...string) *Scribe {
	s := NewScribe(tr)
	for _, file := range files {
		call := event.ToolCall{ID: file, Name: "files__read_file", Title: "Read File", Status: event.CallPending}
		call.Arguments, _ = json.Marshal(map[string]string{"path": strings.TrimLeft(file, "!?~")})
		s.Write(event.ToolCalled{Call: call})
		if file[0] != '?' {
			finish(s, call)
		}
	}
	return s
}

// finish ends a call of reads after 300 ms. One with "~" before its file was repaired.
func finish(s *Scribe, call event.ToolCall) {
	call.Status, call.DurationMS, call.Result = event.CallOK, 300, "text of "+call.ID
	if call.ID[0] == '!' {
		call.Status, call.Error = event.CallError, "no such file"
	}
	if call.ID[0] == '~' {
		call.Repairs = []string{"path"}
	}
	s.Write(event.ToolFinished{Call: call})
}

// brief returns the rows of a transcript with single spaces.
func brief(tr *Transcript) string {
	return regexp.MustCompile(" +").ReplaceAllString(strings.TrimSpace(dump(tr)), " ")
}

func TestSuccessfulCallsOfOneToolFold(t *testing.T) {
	thought := func(tr *Transcript, took time.Duration) {
		th := newThought()
		th.think("Next", took)
		th.finish(took)
		tr.add(th)
	}
	for name, test := range map[string]struct {
		calls func(tr *Transcript)
		want  string
	}{
		"two":   {func(tr *Transcript) { reads(tr, "a", "b") }, "✓ Read File ×2 a, b 0.6s"},
		"three": {func(tr *Transcript) { reads(tr, "a", "b", "c") }, "✓ Read File ×3 a, b, c 0.9s"},
		"a failure between": {func(tr *Transcript) { reads(tr, "a", "b", "!c", "d") },
			"✓ Read File ×2 a, b 0.6s\n✗ Read File c no such file 0.3s\n✓ Read File d · text of d 0.3s"},
		"a repaired call": {func(tr *Transcript) { reads(tr, "a", "~b") },
			"✓ Read File a · text of a 0.3s\n✓ Read File b · text of ~b repaired · 0.3s"},
		"one that runs": {func(tr *Transcript) { reads(tr, "a", "b", "?c") },
			"✓ Read File ×2 a, b 0.6s\n◌ Read File c"},
		"the first runs": {func(tr *Transcript) { reads(tr, "?a", "b", "c") },
			"◌ Read File a\n✓ Read File ×2 b, c 0.6s"},
		"an invisible thought between": {func(tr *Transcript) { reads(tr, "a"); thought(tr, time.Second); reads(tr, "b") },
			"✓ Read File ×2 a, b 0.6s"},
		"a thought between": {func(tr *Transcript) { reads(tr, "a"); thought(tr, 2*time.Second); reads(tr, "b") },
			"✓ Read File a · text of a 0.3s\n│ Thought for 2s · Next\n✓ Read File b · text of b 0.3s"},
		"a question between": {func(tr *Transcript) { reads(tr, "a"); tr.Question(asked("b?")); reads(tr, "b") },
			"✓ Read File a · text of a 0.3s\n\n▌ b?\n\n✓ Read File b · text of b 0.3s"},
		"a change": {func(tr *Transcript) {
			s := reads(tr, "a", "?b")
			call := tr.entries[1].(*toolEntry).call
			s.Write(event.Asked{Call: call, Diff: "--- b\n+++ b\n@@ -1 +1 @@\n-1\n+2\n"})
			finish(s, call)
			reads(tr, "c")
		}, "✓ Read File a · text of a 0.3s\n✎ Read File b · +1 −1 0.3s\n✓ Read File c · text of c 0.3s"},
	} {
		tr := New()
		test.calls(tr)
		if got := brief(tr); got != test.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, test.want)
		}
	}
}

func TestFoldNamesArgumentsThatFit(t *testing.T) {
	var files []string
	for i := range 30 {
		files = append(files, fmt.Sprintf("file-%d.go", i))
	}
	for width, want := range map[int]string{
		80: "✓ Read File ×30 file-0.go, file-1.go, file-2.go, file-3.go, … 9s",
		40: "✓ Read File ×30 file-0.go, … 9s",
		20: "✓ Read File ×30 9s",
	} {
		tr := New()
		tr.Resize(width, 10)
		reads(tr, files...)
		if got := brief(tr); got != want {
			t.Errorf("at %d cells the calls are %q, want %q", width, got, want)
		}
	}
}

func TestFoldOfCallsWithoutArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		`{}`:                                   "✓ Now ×2 0s",
		`{"zone":"Europe/Zurich"}`:             "✓ Now ×2 Europe/Zurich 0s",
		`{"zone":"America/Argentina/Ushuaia"}`: "✓ Now ×2 … 0s",
	} {
		tr := New()
		tr.Resize(30, 10)
		tr.add(newToolEntry(event.ToolCall{Title: "Now", Status: event.CallOK}))
		tr.add(newToolEntry(event.ToolCall{Title: "Now", Status: event.CallOK, Arguments: json.RawMessage(arguments)}))
		tr.fold(0)
		if got := brief(tr); got != want {
			t.Errorf("with %s the calls are %q, want %q", arguments, got, want)
		}
	}
}

func TestUnfoldedCallsHaveTheirLines(t *testing.T) {
	tr := New()
	reads(tr, "a", "b", "c")
	for range 2 {
		got := dump(tr.Unfolded())
		if strings.Count(got, "✓ Read File ") != 3 || strings.Count(got, "\n  text of ") != 3 || strings.Contains(got, "×") {
			t.Errorf("in the pager three calls are\n%s", got)
		}
		unfolded := *tr.look
		unfolded.Details = true
		tr.Restyle(&unfolded)
		if got := dump(tr); strings.Count(got, "\n  text of ") != 3 || strings.Contains(got, "×") {
			t.Errorf("unfolded, three calls are\n%s", got)
		}
		unfolded.Details = false
		tr.Restyle(&unfolded)
		if got, want := brief(tr), "✓ Read File ×3 a, b, c 0.9s"; got != want {
			t.Errorf("folded again, three calls are\n%s", got)
		}
	}
}

func TestFoldDoesNotMoveRows(t *testing.T) {
	for scrolled, name := range []string{"at the end", "scrolled up"} {
		tr := New()
		tr.Resize(80, 10)
		for i := range 20 {
			tr.Notice(Warn, fmt.Sprint("line ", i))
		}
		s := reads(tr, "?a", "?b", "?c", "?d")
		tr.Scroll(-scrolled)
		before := append([]string(nil), tr.View()[:5]...)
		for i, e := range tr.entries[20:] {
			finish(s, e.(*toolEntry).call)
			if now := tr.View(); strings.Join(now[:5], "\n") != strings.Join(before, "\n") {
				t.Errorf("%s, after %d calls the view is\n%s\nand began with\n%s", name, i+1,
					strings.Join(now, "\n"), strings.Join(before, "\n"))
			}
		}
		if view := strings.Join(tr.View(), "\n"); !strings.Contains(view, "×4") {
			t.Errorf("%s, the calls are not folded:\n%s", name, view)
		}
	}
}

// A call at the top of a view that is scrolled up may fold into the line above it.
func TestTopOfViewFolds(t *testing.T) {
	tr := New()
	tr.Resize(80, 4)
	s := reads(tr, "a", "?b")
	for i := range 20 {
		tr.Notice(Warn, fmt.Sprint("line ", i))
	}
	tr.Home()
	tr.Scroll(1)
	finish(s, tr.entries[1].(*toolEntry).call)
	if view := tr.View(); len(view) != 4 || !strings.Contains(strings.Join(view, "\n"), "line 0") || tr.Following() {
		t.Errorf("the view is %q", view)
	}
}

func TestFoldedCallsHaveNoRows(t *testing.T) {
	tr := New()
	files := make([]string, 300)
	for i := range files {
		files[i] = fmt.Sprint("file", i)
	}
	reads(tr, files...)
	tr.View()
	tr.Restyle(tr.look)
	tr.View()
	drawn := 0
	for _, e := range tr.entries {
		if e.(*toolEntry).rows != nil {
			drawn++
		}
	}
	if drawn != 1 || len(tr.before) != 1 {
		t.Errorf("for one line, %d entries have rows and %d were drawn", drawn, len(tr.before))
	}
}
