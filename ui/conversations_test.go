package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aloudchat/aloud/session"
)

// storied returns a store with two conversations, and options of a chat that is saved there.
func storied(t *testing.T, texts ...string) (*session.Store, Options) {
	t.Helper()
	dir := t.TempDir()
	store := session.Open(dir)
	for _, title := range []string{"plan a trip to Rome", "why is the sky blue"} {
		drive(t, 80, 24, talked(dir, "About "+title+": it depends."), func(d *driver) {
			d.typeText(title + "\n").wait(2 * time.Second)
		})
	}
	o := talked(dir, texts...)
	o.Sessions = store
	return store, o
}

func TestResumeOpensConversation(t *testing.T) {
	store, o := storied(t, "Seven hills.", "Nothing.")
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("hello\n").wait(2 * time.Second)
		d.typeText("/resume\n").wait(time.Second)
		d.sees("Conversations", "plan a trip to Rome", "why is the sky blue", "● hello", "1 question")
		d.typeText("trip").wait(time.Second)
		d.seesNot("sky")
		d.press("enter").wait(time.Second)
		d.sees("About plan a trip to Rome: it depends.")
		d.typeText("what is there\n").wait(2 * time.Second)
	})
	found, err := store.Search(t.Context(), "TRIP rome depends")
	if err != nil || len(found) != 1 || found[0].Questions != 2 {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestOpenedConversationDoesNotChangeTheModelOfTheNextStart(t *testing.T) {
	_, o := storied(t)
	o.Chat.Name = "small:1b"
	o.UseModel = func(name string) error { t.Errorf("model %q is saved for the next start", name); return nil }
	drive(t, 100, 24, o, func(d *driver) {
		d.sees("small:1b")
		d.typeText("/resume trip\n").wait(time.Second)
		d.press("enter").wait(time.Second)
		d.sees("test:8b")
	})
}

func TestRenamedConversationIsFoundByName(t *testing.T) {
	store, o := storied(t)
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/resume sky\n").wait(time.Second)
		d.press("ctrl+r", "ctrl+u").typeText("physics\n").wait(time.Second)
		d.press("esc").wait(time.Millisecond)
		d.sees("physics", "plan a trip")
	})
	if infos, err := store.List(); err != nil || infos[0].Title != "physics" && infos[1].Title != "physics" {
		t.Errorf("%+v, %v", infos, err)
	}
}

func TestDeletedConversationCanBeBroughtBack(t *testing.T) {
	store, o := storied(t)
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/resume\n").wait(time.Second)
		d.press("ctrl+d").wait(time.Millisecond)
		d.sees("✗", "deleted when you leave this list")
		d.press("enter").sees("ctrl+d undoes that")
		d.press("ctrl+d").seesNot("deleted when you leave")
		d.press("down", "ctrl+d", "esc").wait(time.Second)
	})
	infos, err := store.List()
	if err != nil || len(infos) != 1 {
		t.Errorf("%+v, %v", infos, err)
	}
}

func TestTextsOfConversationsAreSearched(t *testing.T) {
	_, o := storied(t)
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/resume\n").wait(time.Second)
		d.typeText("depends sky").press("ctrl+f").wait(time.Second)
		d.sees("Conversations with depends sky", "why is the sky blue", "About why is the sky blue: it depends.")
		d.seesNot("Rome")
		d.press("tab").wait(time.Second)
		d.sees("› why is the sky blue")
	})
}

func TestFoldersInHomeAreShort(t *testing.T) {
	home := filepath.Join(t.TempDir(), "ann")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	rows, _ := listed([]session.Info{{Folder: home}, {Folder: filepath.Join(home, "go")}, {Folder: home + "a"}}, nil)
	for i, want := range []string{"~", filepath.Join("~", "go"), home + "a"} {
		if rows[i].Folder != want {
			t.Errorf("the folder is shown as %q, not %q", rows[i].Folder, want)
		}
	}
}

func TestFailedExportLeavesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := export(session.Open("none"), "gone"); err == nil {
		t.Error("a conversation that does not exist was exported")
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestExportedConversationIsInTheFolder(t *testing.T) {
	_, o := storied(t)
	t.Chdir(t.TempDir())
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/resume rome\n").wait(time.Second)
		d.press("ctrl+x").wait(time.Second)
		d.sees("Exported to aloud-")
	})
	if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
