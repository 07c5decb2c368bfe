package ui

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/composer"
)

func TestEditsOfRecalledMessagesStayUntilSent(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."), chunks(0, "C."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.typeText("draft").press("up").typeText(" edited").press("up").typeText(" too")
		d.sees("› one too")
		d.press("down")
		d.sees("› two edited")
		d.press("down")
		d.sees("› draft")
		d.press("up", "up")
		d.sees("› one too")
		d.press("enter").wait(second)
		d.sees("C.")
		for _, want := range []string{"one too", "draft", "two", "one"} {
			d.press("up")
			d.sees("› " + want + "\n")
		}
	})
}

func TestDraftComesBackAfterRecalledMessageIsCleared(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.typeText("draft").press("up", "up", "ctrl+c")
		d.sees("› Ask anything")
		d.press("up")
		d.sees("› draft\n")
		d.press("ctrl+c", "up").typeText("ed").press("up").typeText(" edited").press("ctrl+c")
		for _, want := range []string{"two edited", "drafted", "two", "one"} {
			d.press("up")
			d.sees("› " + want + "\n")
		}
	})
}

func TestRecalledMessageThatIsClearedIsNotKeptTwice(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "A."), chunks(0, "B."))), func(d *driver) {
		d.typeText("one\n").wait(second)
		d.typeText("two\n").wait(second)
		d.press("up", "up", "ctrl+c")
		d.typeText("draft").press("up")
		d.sees("› two\n")
		d.press("up")
		d.sees("› one\n")
		d.press("down", "down")
		d.sees("› draft\n")
	})
}

func TestBackslashBeforeEnterBeginsNewLine(t *testing.T) {
	model := says(chunks(0, "Fine."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("one\\\ntwo").press("left", "left", "left").typeText("\\\n")
		d.sees("› one\n\n  two")
		d.press("backspace", "end").typeText("\\\\\n").wait(second)
		d.sees("Fine.")
		if asked := model.Requests(); len(asked) != 1 || asked[0].Messages[len(asked[0].Messages)-1].Text != "one\ntwo\\\\" {
			t.Errorf("it was asked %+v", asked)
		}
	})
}

func TestSearchOfEarlierMessages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for _, earlier := range []composer.Earlier{
		{Text: "plan a quiet weekend", Folder: "~/home"}, {Text: "explain the loop", Folder: "~/aloud"},
		{Text: "plan the release\nof Friday"}, {Text: "plan a quiet weekend", Folder: "~/trip"},
	} {
		if err := composer.AppendHistory(file, attach.Typed(earlier.Text), earlier.Folder); err != nil {
			t.Fatal(err)
		}
	}
	o := with(says(chunks(0, "Fine.")))
	o.History = file
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("draft").press("left", "ctrl+r")
		d.sees("search › words of an earlier message", "› plan a quiet weekend", "~/trip", "~/aloud",
			"enter takes it · esc hides")
		d.seesNot("~/home")
		d.typeText("PLAN a")
		d.golden("search")
		d.press("ctrl+r")
		d.sees("› plan the release of Friday")
		d.typeText("zz")
		d.sees("No earlier message has these words")
		d.press("enter")
		d.sees("search › PLAN azz")
		for _, back := range []string{"esc", "ctrl+g", "ctrl+c"} {
			d.press(back)
			d.sees("› draft\n")
			d.seesNot("brings the draft back")
			d.press("ctrl+r").typeText("loop")
		}
		d.press("enter")
		d.sees("› explain the loop\n")
		d.press("up")
		d.sees("› draft\n")
		d.press("down", "enter").wait(second)
		d.sees("▌ explain the loop", "Fine.")
	})
}

func TestSearchWithoutEarlierMessages(t *testing.T) {
	drive(t, 40, 12, with(says(blocked("Half"))), func(d *driver) {
		d.press("ctrl+r", "enter")
		d.sees("search › ", "No earlier message has these words")
		d.press("esc").typeText("Go\n").wait(second)
		d.press("ctrl+r").typeText("g")
		d.sees("› Go")
		d.press("esc")
		d.seesNot("Stopped by you")
		d.press("esc").wait(second)
		d.sees("Stopped by you")
	})
}

func TestSecretsAreNotKeptInHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for _, text := range []string{"my key is ghp_abcdefghijklmnopqrstuvwxyz0123456789", "hello"} {
		if err := composer.AppendHistory(file, attach.Typed(text), ""); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := composer.ReadHistory(file); err != nil || len(kept) != 1 || kept[0].Text != "hello" {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestHistoryOfEarlierVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(file, []byte("\"old\"\n{\"text\":\"new\",\"folder\":\"~\"}\n7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []composer.Earlier{{Text: "old"}, {Text: "new", Folder: "~"}}
	if kept, err := composer.ReadHistory(file); err != nil || !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %v, %v", kept, err)
	}
}

// Only a typed @ attaches a file, also in the next session.
func TestPasteOfEarlierSessionAttachesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for _, recall := range []bool{false, true} {
		model := says(chunks(0, "Fine."))
		o, _ := inFolder(t, model, map[string]string{})
		o.History = file
		drive(t, 80, 24, o, func(d *driver) {
			if recall {
				d.press("up")
			} else {
				d.typeText("look: ").send(tea.PasteMsg{Content: "see @todo.md"})
			}
			d.press("enter").wait(second)
			if got := sent(t, model); got != "look: see @todo.md" {
				t.Errorf("sent %q", got)
			}
		})
	}
}

func TestChangedHistoryFileAttachesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for _, line := range []string{
		`{"text":"see @todo.md","foreign":[{"from":9,"until":99}]}`,
		`{"text":"see @todo.md","foreign":[{"from":3,"until":-1}]}`,
		`{"text":"\u001bsee @todo.md","foreign":[{"from":0,"until":1}]}`,
	} {
		if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		model := says(chunks(0, "Fine."))
		o, _ := inFolder(t, model, map[string]string{})
		o.History = file
		drive(t, 80, 24, o, func(d *driver) {
			d.press("up", "enter").wait(second)
			if got := sent(t, model); !strings.HasSuffix(got, "see @todo.md") {
				t.Errorf("sent %q", got)
			}
		})
	}
}
