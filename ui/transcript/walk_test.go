package transcript

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

func TestStepsOfReceipt(t *testing.T) {
	read, write := event.Lap{Kind: event.LapRead, MS: 5}, event.Lap{Kind: event.LapWrite, MS: 5}
	in := func(round int, l event.Lap) event.Lap { l.Round = round; return l }
	ran := func(round int, title string, ms int64) event.Lap {
		return event.Lap{Kind: event.LapTool, Round: round, Title: title, Status: event.CallOK, MS: ms}
	}
	for name, test := range map[string]struct {
		turn string // words, and calls with their milliseconds; "!" before one that did not run
		laps []event.Lap
		want string
	}{
		"answer": {"hello", []event.Lap{read, write}, "hello hello"},
		"calls": {"one A5 B6 two", []event.Lap{write, ran(1, "B", 6), ran(1, "A", 5), in(1, write)},
			"one B6 A5 two"},
		"equal calls":    {"one A5 A5", []event.Lap{write, ran(1, "A", 5), ran(1, "A", 5)}, "one A5 A5"},
		"no words":       {"A5 B6", []event.Lap{write, ran(1, "A", 5), in(1, write), ran(2, "B", 6)}, "A5 A5 B6 B6"},
		"denied":         {"one !A0 two", []event.Lap{write, in(1, write)}, "one two"},
		"denied at once": {"!A0 two", []event.Lap{write, in(1, write)}, "!A0 two"},
		"unknown call":   {"one A5 two", []event.Lap{write, ran(1, "A", 7), in(1, write)}, "one two two"},
		"asked again": {"one A5 two", []event.Lap{write, ran(1, "A", 5), in(1, write), in(1, write)},
			"one A5 two two"},
		"cut off":     {"one A5", []event.Lap{write, ran(1, "A", 5), in(1, read)}, "one A5 A5"},
		"nothing":     {"", []event.Lap{read, write}, "? ?"},
		"wrong round": {"one", []event.Lap{in(-1, write), in(1<<40, write)}, "one one"},
	} {
		earlier := newToolEntry(event.ToolCall{Title: "A", Status: event.CallOK, DurationMS: 5})
		entries, names := []entry{earlier, newUserEntry(asked("?"))}, map[entry]string{}
		names[entries[1]] = "?"
		for word := range strings.FieldsSeq(test.turn) {
			var e entry = storedReply(word, false)
			if call, skipped := strings.CutPrefix(word, "!"); skipped {
				e = newToolEntry(event.ToolCall{Title: call[:1], Status: event.CallDenied})
			} else if word[0] < 'a' {
				e = newToolEntry(event.ToolCall{Title: word[:1], Status: event.CallOK, DurationMS: int64(word[1] - '0')})
			}
			entries, names[e] = append(entries, e), word
		}
		var got []string
		for _, e := range (&Transcript{entries: entries}).stepsOf(test.laps) {
			got = append(got, names[e])
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: the steps are %q, not %q", name, got, test.want)
		}
	}
}

// While scrolled up, the keys walk along the receipt of the turn in view.
func TestWalkInEarlierTurn(t *testing.T) {
	for _, height := range []int{3, 10} {
		tr := New()
		tr.Resize(60, height)
		st := *tr.look
		st.Details = true
		tr.Restyle(&st)
		for _, words := range []string{"first", "second"} {
			tr.Question(asked(words + "?"))
			tr.add(storedReply(words+strings.Repeat("\n\nmore", 20), false))
			tr.Ended(event.Result{Timing: event.Timing{Steps: twoRounds().Timing.Steps[1:3]}, Usage: twoRounds().Usage})
		}
		begins := func(want string) {
			t.Helper()
			rows := viewed(tr)
			if rows[0] != want && rows[1] != want {
				t.Errorf("the view of %d rows is %q and does not begin with %q", height, rows, want)
			}
		}
		tr.Walk(-1)
		begins("▸ second")
		tr.Home()
		tr.Scroll(5)
		tr.Walk(1)
		begins("▸ first")
		if got := tr.Step(); got != "step 1 of 2" {
			t.Errorf("the step is %q", got)
		}
		if n := strings.Count(dump(tr.Unfolded()), "▸"); n != 0 {
			t.Errorf("the pager has %d marks", n)
		}
		if n := strings.Count(dump(tr), "▸"); n != 0 {
			t.Errorf("the dump has %d marks", n)
		}
	}
}

func TestTakenBackStepIsNotShown(t *testing.T) {
	tr := New()
	st := look.New(nil)
	st.Details = true
	tr.Restyle(&st)
	tr.Question(asked("why?"))
	tr.add(storedReply("because", false))
	tr.Ended(event.Result{Timing: event.Timing{Steps: twoRounds().Timing.Steps[1:3]}, Usage: twoRounds().Usage})
	tr.Walk(1)
	tr.TakeBack()
	tr.Walk(1)
	if !tr.Empty() || tr.Step() != "" || !tr.Following() {
		t.Errorf("without entries the step is %q", tr.Step())
	}
	tr.Ended(event.Result{Timing: event.Timing{Steps: twoRounds().Timing.Steps[1:3]}, Usage: twoRounds().Usage})
	tr.Walk(1)
	if got := tr.Step(); got != "step 1 of 2" || !tr.Following() {
		t.Errorf("with a receipt alone the step is %q", got)
	}
}
