package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

// quits reports whether a key ends the program.
func (d *driver) quits(mod tea.KeyMod, code rune) bool {
	_, cmd := d.m.Update(tea.KeyPressMsg{Code: code, Mod: mod})
	return cmd != nil && cmd() == tea.Quit()
}

// bound returns the keys with changes, which have no mistakes.
func bound(t *testing.T, changes keymap) keymap {
	t.Helper()
	return Bind(changes, func(action string, _ int, text string) { t.Errorf("%s: %s", action, text) })
}

func TestQuitByKeys(t *testing.T) {
	drive(t, 80, 20, with(says()), func(d *driver) {
		d.typeText("a draft")
		d.press("ctrl+c")
		d.sees("ctrl+c twice to quit · up brings the draft back", "› Ask anything")
		d.press("ctrl+c").wait(flashTime - 10*time.Millisecond)
		d.sees("Press ctrl+c again to quit")
		if !d.quits(tea.ModCtrl, 'c') {
			t.Error("ctrl+c does not quit while the hint is shown")
		}
		d.wait(5 * second)
		d.seesNot("again to quit")
		for _, between := range []tea.Msg{tea.KeyPressMsg{Code: 'x', Text: "x"}, tea.PasteMsg{Content: "x"}} {
			d.press("ctrl+c")
			d.send(between)
			d.seesNot("again to quit")
			d.press("ctrl+c") // clears the draft
			d.sees("up brings the draft back")
			d.press("ctrl+c")
			d.sees("Press ctrl+c again to quit")
			d.wait(5 * second)
		}
		d.typeText("x")
		if d.quits(tea.ModCtrl, 'd') {
			t.Error("ctrl+d quits with a draft")
		}
		d.press("backspace")
		if !d.quits(tea.ModCtrl, 'd') {
			t.Error("ctrl+d on an empty line does not quit")
		}
	})
}

// ctrl+c never quits before everything else is cleared or stopped, and the footer says what it does next.
func TestCtrlCWhileAnswering(t *testing.T) {
	drive(t, 80, 20, with(says(blocked("Half"))), func(d *driver) {
		d.typeText("Go\n").wait(second)
		d.typeText("queued\nand a draft")
		for _, next := range []string{"ctrl+c to stop the answer", "ctrl+c twice to quit", "Press ctrl+c again to quit"} {
			d.press("ctrl+c").wait(second)
			d.sees(next)
		}
		d.sees("■ Stopped by you", "Queued: queued")
		if !d.quits(tea.ModCtrl, 'c') {
			t.Error("ctrl+c does not quit")
		}
	})
}

// A list of completions behind a dialog does not take esc, which stops the turn as long as it cannot be an answer.
func TestEscBeforeDialogIsReadBehindCompletions(t *testing.T) {
	deletes := append(providertest.Reply{{Wait: second}}, calls("files__delete_file", `{"path":"a"}`)...)
	drive(t, 80, 24, with(says(deletes)), func(d *driver) {
		d.typeText("Delete it\n")
		for !strings.Contains(d.screen(), "Allow this call?") {
			d.wait(10 * time.Millisecond)
		}
		d.typeText("/m").press("esc").wait(second)
		d.seesNot("Allow this call?")
		d.sees("■ Stopped by you")
	})
}

// A message that you type while a dialog opens keeps its line breaks.
func TestLineBreakBehindDialog(t *testing.T) {
	deletes := append(providertest.Reply{{Wait: second}}, calls("files__delete_file", `{"path":"a"}`)...)
	drive(t, 80, 24, with(says(deletes)), func(d *driver) {
		d.typeText("Delete it\n")
		for !strings.Contains(d.screen(), "Allow this call?") {
			d.wait(10 * time.Millisecond)
		}
		d.typeText("one").press("alt+enter").typeText("two").wait(second)
		d.press("esc").wait(second)
		d.sees("› one\n  two")
	})
}

func TestClearedDraftComesBack(t *testing.T) {
	drive(t, 80, 20, with(says(chunks(0, "Hello."))), func(d *driver) {
		d.typeText("Hi\n").wait(second)
		d.typeText("first").press("ctrl+j").typeText("second")
		d.press("ctrl+c")
		d.sees("› Ask anything")
		d.press("up")
		d.sees("› first\n  second")
		d.press("ctrl+c", "ctrl+p", "ctrl+p", "ctrl+p")
		d.sees("› Hi")
		d.press("ctrl+n")
		d.sees("› first\n  second")
	})
}

func TestEnterContinuesAfterLimit(t *testing.T) {
	reads := calls("files__read_file", `{"path":"a"}`)
	model := says(reads, chunks(0, "One."), reads, chunks(0, "Two."), reads, chunks(0, "Three."), blocked("Half"))
	o := with(model)
	o.Chat.Limits.Iterations = 1
	asked := func(d *driver, n int) {
		d.t.Helper()
		d.press("enter").wait(3 * second)
		if got := len(model.Requests()); got != n {
			d.t.Fatalf("the model was asked %d times, want %d:\n%s", got, n, d.screen())
		}
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("Go\n")
		for !strings.Contains(d.screen(), "/continue goes on") {
			d.wait(10 * time.Millisecond)
		}
		d.sees("One.")
		d.press("enter") // too early
		d.seesNot("enter continues")
		d.wait(second)
		d.sees("enter continues")
		d.typeText("  x")
		d.seesNot("enter continues")
		d.press("ctrl+c").wait(5 * second)
		asked(d, 4)
		d.sees("Two.", "enter continues")
		for range 30 { // notices move the end out of view
			d.typeText("/system\n")
		}
		d.sees("/continue goes on")
		asked(d, 4)
		d.press("pgup", "pgup")
		d.sees("enter continues")
		asked(d, 6)
		d.sees("Three.")
		d.typeText("Go on\n").wait(second)
		d.press("esc").wait(3 * second)
		d.sees("Stopped by you", "/continue goes on")
		asked(d, 7)
	})
}

func TestEnterContinuesResumedConversation(t *testing.T) {
	store := session.Open(t.TempDir())
	o := with(says(calls("files__read_file", `{"path":"a"}`), chunks(0, "One."), chunks(0, "Two.")))
	o.Chat.Limits.Iterations, o.Recorder = 1, store.New()
	drive(t, 80, 24, o, func(d *driver) { d.typeText("Go\n").wait(3 * second) })
	o.Recorder.Close()
	again, conv, err := store.Resume("")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	o.Conversation, o.Recorder = conv, again
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.sees("One.", "enter continues")
		d.press("enter").wait(second)
		d.sees("Two.")
	})
}

func TestQuestionMark(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.press("?")
		d.sees("Help", "enter ")
		d.press("down", "esc")
		d.sees("› Ask anything")
		d.typeText("?why is it")
		d.sees("filter why is it▏", "no match · enter puts the text into your draft")
		d.press("enter")
		d.sees("› ?why is it")
		d.typeText("?")
		d.sees("› ?why is it?")
	})
}

func TestHelpFilter(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.typeText("/help\n")
		d.sees("type to filter", "  Ask and stop", "esc to close")
		before := strings.Count(strings.Split(d.screen(), "── Help")[0], "\n")
		d.typeText("SERV")
		d.sees("filter SERV▏", "  Models and tools\n", "/servers ", "esc to clear the filter")
		d.seesNot("Ask and stop", "/tools")
		if after := strings.Count(strings.Split(d.screen(), "── Help")[0], "\n"); after != before {
			t.Errorf("the title moved from row %d to %d", before, after)
		}
		d.typeText("quite")
		d.sees("  no match\n")
		d.press("enter") // closes the help, which no key with text opened
		d.sees("› Ask anything")
		d.typeText("/help\n").press("pgdown")
		d.seesNot("Ask and stop")
		d.send(tea.PasteMsg{Content: "conversation"})
		d.sees("filter conversation▏", "/clear ", "alt+o, /pager ")
		d.press("esc")
		d.sees("type to filter", "  Ask and stop")
		d.press("esc")
		d.sees("› Ask anything")
	})
}

func TestHelpColumns(t *testing.T) {
	both := func(width int) (beside bool) {
		drive(t, width, 100, with(says()), func(d *driver) {
			d.press("?")
			d.sees("Ask and stop", "Read", "Write", "Models and tools", "Conversation", "Program", "/think")
			for row := range strings.Lines(d.screen()) {
				_, right, _ := strings.Cut(row, "Ask and stop")
				beside = beside || strings.TrimSpace(right) != ""
			}
		})
		return beside
	}
	if both(99) || !both(100) || !both(200) {
		t.Error("the help must have two columns from 100 cells")
	}
}

// TestHelpHasEveryAction checks that each key and command has its row in the help.
func TestHelpHasEveryAction(t *testing.T) {
	all := ""
	for _, row := range bound(t, nil).help() {
		all += row[0] + ", "
	}
	var want []string
	for _, b := range bindings {
		want = append(want, b.defaults()...)
	}
	for _, c := range commands() {
		want = append(want, c.typed())
	}
	for _, label := range want {
		if n := strings.Count(", "+all, ", "+label+", "); n != 1 {
			t.Errorf("the help has %q %d times", label, n)
		}
	}
}

// Keys without an action change nothing.
func TestFreeKeys(t *testing.T) {
	keys := []string{"ctrl+r", "ctrl+g", "ctrl+y", "ctrl+x", "ctrl+q", "alt+p", "alt+y", "tab"}
	drive(t, 80, 24, with(says(chunks(0, "Hello."), blocked("Half"))), func(d *driver) {
		d.typeText("Hi\n").wait(second)
		for _, draft := range []string{"", "a draft"} {
			d.typeText(draft)
			before := d.screen()
			d.press(keys...)
			if after := d.screen(); after != before {
				t.Errorf("after %v the screen is\n%s\nand was\n%s", keys, after, before)
			}
		}
	})
}

func TestDetailsUnfoldEverything(t *testing.T) {
	thinks := providertest.Reply{{Thinking: "I should look."}}
	model := says(append(thinks, calls("files__read_file", `{"path":"a"}`)...), chunks(0, "Done."))
	drive(t, 80, 30, with(model), func(d *driver) {
		d.typeText("Go\n").wait(5 * second)
		d.seesNot("I should look.", "path: a")
		d.press("ctrl+o")
		d.sees("I should look.", "path: a")
		d.press("ctrl+o")
		d.seesNot("I should look.", "path: a")
	})
}

func TestPagerWithoutConversation(t *testing.T) {
	for _, keys := range [][]string{{"alt+o"}, {"/", "p", "a", "g", "e", "r", "enter"}} {
		drive(t, 80, 24, with(says()), func(d *driver) {
			d.press(keys...)
			d.sees("Nothing to show yet")
		})
	}
}

func TestChangedKeys(t *testing.T) {
	keys := bound(t, keymap{"details": {"Ctrl+T"}, "send": {"f2"}, "stop": nil, "copy": {"ctrl+y"},
		"help": {"f1"}, "newline": {"alt+shift+enter"}, "page_up": {"ctrl+home"}})
	o := with(says(calls("files__read_file", `{"path":"a"}`), chunks(0, "Done."), blocked("Half")))
	o.Keys = keys
	drive(t, 80, 90, o, func(d *driver) {
		d.typeText("Go").press("f2").wait(5 * second)
		d.sees("Done.")
		d.press("ctrl+o")
		d.seesNot("path: a")
		d.press("ctrl+t")
		d.sees("path: a")
		d.press("?")
		d.sees("› ?")
		d.press("backspace", "f1").press("end")
		d.sees("  ctrl+t ", "  enter, f2 ", "  esc ", "  ctrl+y, /copy ", "  f1, /help ", "copy the answer")
		d.press("esc")
		d.typeText("Stop\n").wait(second)
		d.press("esc").wait(second)
		d.sees("Stopped by you")
	})
}

func TestBindMistakes(t *testing.T) {
	for _, c := range []struct {
		changes keymap
		want    string
	}{
		{keymap{"detials": {"ctrl+t"}}, `detials -1 unknown key "detials" in [keys]; did you mean "details"?`},
		{keymap{"details": {"ctrl+t", "ctlr+o"}}, `details 1 "details" has the unknown key "ctlr+o"; did you mean "ctrl+o"?`},
		{keymap{"details": {"escape"}}, `details 0 "details" has the unknown key "escape"; did you mean "esc"?`},
		{keymap{"details": {"ctrl+x ctlr+o"}}, `details 0 "details" has the unknown key "ctlr+o"; did you mean "ctrl+o"?`},
		{keymap{"details": {"c-o"}}, `details 0 "details" has the unknown key "c-o". ` +
			`Use one like "ctrl+o", "alt+enter" or "f5"`},
		{keymap{"details": {""}}, `details 0 "details" has the unknown key "". Use one like "ctrl+o", "alt+enter" or "f5"`},
		{keymap{"details": {"enter"}}, `details 0 "details" cannot have the key "enter", which is always for "send". ` +
			`Use another key`},
		{keymap{"details": {"f5"}, "pager": {"F5"}}, `pager 0 "details" and "pager" have the same key "f5". ` +
			`Change one of them`},
	} {
		var got string
		Bind(c.changes, func(action string, key int, text string) { got += fmt.Sprintf("%s %d %s", action, key, text) })
		if got != c.want {
			t.Errorf("%v: got\n%s\nwant\n%s", c.changes, got, c.want)
		}
	}
	for _, key := range []string{"+", "ctrl++", "ctrl+_", "ctrl+space", "alt+<", "é", "A"} {
		if got := bound(t, keymap{"details": {key}})["details"]; !slices.Equal(got, []string{key}) {
			t.Errorf("%q is bound as %q", key, got)
		}
	}
}

// Every binding has a different key, and a name like those of the other settings.
func TestBindings(t *testing.T) {
	defaults := bound(t, nil)
	if len(defaults) != len(bindings) {
		t.Errorf("%d actions have keys, and the table has %d", len(defaults), len(bindings))
	}
	var all []string
	for _, b := range bindings {
		keys := b.defaults()
		if got := defaults[string(b.action)]; !slices.Equal(got, keys) {
			t.Errorf("%s has the keys %q", b.action, got)
		}
		all = append(all, keys...)
		if got := bound(t, keymap{string(b.action): keys})[string(b.action)]; !slices.Equal(got, keys) {
			t.Errorf("%s got the keys %q instead of %q", b.action, got, keys)
		}
	}
	slices.Sort(all)
	if twice := len(all) - len(slices.Compact(slices.Clone(all))); twice > 0 {
		t.Errorf("%d keys have two actions: %q", twice, all)
	}
}

func TestOtherNamesOfCommands(t *testing.T) {
	full := providertest.Step{Done: provider.ReasonLength}
	drive(t, 80, 24, with(says(providertest.Reply{{Text: "One,"}, full}, chunks(0, "two."))), func(d *driver) {
		d.typeText("Count\n").wait(second)
		d.typeText("/regenerate\n").wait(second)
		d.sees("two.")
		d.typeText("/exit")
		if !d.quits(0, tea.KeyEnter) {
			t.Error("/exit does not quit")
		}
	})
}
