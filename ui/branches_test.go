package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

// talked returns the options of a chat that is saved in a folder, with a model that says texts.
func talked(dir string, texts ...string) Options {
	replies := make([]providertest.Reply, len(texts))
	for i, text := range texts {
		replies[i] = chunks(time.Millisecond, text)
	}
	o := with(says(replies...))
	o.Recorder = session.Open(dir).New()
	return o
}

func TestEditedQuestionBeginsBranch(t *testing.T) {
	dir := t.TempDir()
	drive(t, 80, 24, talked(dir, "Rome it is.", "Seven hills.", "Paris it is."), func(d *driver) {
		d.typeText("a city in Italy\n").wait(time.Second)
		d.typeText("what is there\n").wait(2 * time.Second)
		d.press("esc").sees("esc again lists your questions")
		d.press("esc").sees("Your questions", "1 a city in Italy", "2 what is there")
		d.press("up", "enter")
		d.seesNot("Rome it is.", "Seven hills.")
		d.sees("a city in Italy", "enter sends on a new branch · esc goes back")
		d.press("ctrl+w").typeText("France\n").wait(2 * time.Second)
		d.sees("a city in France", "Paris it is.")
		d.typeText("/tree\n").wait(time.Millisecond)
		d.sees("Branches", "  a city in Italy", "● a city in France", "2 questions", "1 question")
		d.press("up", "enter")
		d.sees("Seven hills.", "Rome it is.")
		d.seesNot("Paris it is.")
	})
	again, conv, err := session.Open(dir).Resume("")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if conv.Len() != 4 {
		t.Errorf("the branch that was left last has %d messages", conv.Len())
	}
}

// The race detector watches.
func TestScreenIsDrawnWhileBranchBegins(t *testing.T) {
	drive(t, 80, 24, talked(t.TempDir(), "Rome it is.", "Paris it is."), func(d *driver) {
		d.typeText("a city in Italy\n").wait(2 * time.Second)
		d.press("esc", "esc", "enter")
		d.send(keyPress("enter"))
		d.watch(2*time.Second, func(tea.Msg) { d.m.View() })
		d.sees("Paris it is.")
	})
}

func TestEscLeavesEditedQuestion(t *testing.T) {
	drive(t, 80, 24, talked(t.TempDir(), "Rome it is."), func(d *driver) {
		d.typeText("a city in Italy\n").wait(2 * time.Second)
		d.press("esc", "esc", "enter")
		d.seesNot("Rome it is.")
		d.typeText(" or Spain").press("esc")
		d.sees("Rome it is.", "up brings the draft back")
		d.press("up").sees("a city in Italy or Spain")
	})
}

func TestEscAfterStopListsNothing(t *testing.T) {
	model := says(chunks(time.Second, "Rome", " it is."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("a city in Italy\n").wait(1500 * time.Millisecond)
		d.press("esc").wait(100 * time.Millisecond)
		d.press("esc").wait(100 * time.Millisecond)
		d.press("esc")
		d.seesNot("Your questions")
	})
}

func TestSessionWithoutBranchesStaysAsItWas(t *testing.T) {
	dir := t.TempDir()
	drive(t, 80, 24, talked(dir, "Rome it is."), func(d *driver) {
		d.typeText("a city in Italy\n").wait(2 * time.Second)
		d.press("esc", "esc", "enter", "esc")
	})
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{`"branch"`, `"version":2`} {
		if string(text) == "" || strings.Contains(string(text), mark) {
			t.Errorf("the file has %s", mark)
		}
	}
}
