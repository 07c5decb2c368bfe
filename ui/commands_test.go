package ui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session/live"
)

func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		text, name, arg string
		ok              bool
	}{
		{"/help", "help", "", true},
		{"/Model  qwen3:8b ", "model", "qwen3:8b", true},
		{"/system Be short.\nAnd kind.", "system", "Be short.\nAnd kind.", true},
		{"/etc/hosts is a file?", "", "", false},
		{"/", "", "", false},
		{"/ help", "", "", false},
		{"what is /help?", "", "", false},
	} {
		if name, arg, ok := parseCommand(attach.Typed(c.text)); name != c.name || arg != c.arg || ok != c.ok {
			t.Errorf("parseCommand(%q) = %q, %q, %v", c.text, name, arg, ok)
		}
	}
}

// The name of a folder in the root folder is a question, not a command with a mistake.
func TestFolderAloneIsMessage(t *testing.T) {
	entries, err := os.ReadDir("/")
	i := slices.IndexFunc(entries, fs.DirEntry.IsDir)
	if err != nil || i < 0 {
		t.Fatal(i, err)
	}
	folder := "/" + entries[i].Name()
	model := &providertest.Script{
		Models:  []provider.Info{{Name: "test:8b", Context: 32768, Known: true}},
		Replies: []providertest.Reply{{{Text: "Fine."}}, {{Text: "Great."}}},
	}
	drive(t, 80, 24, Options{Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "test:8b"}}}, func(d *driver) {
		d.typeText(folder + "\n").wait(time.Second)
		d.sees("Fine.")
		d.typeText(strings.ToUpper(folder) + ", what is in it?\n").wait(time.Second)
		d.sees("Great.")
		d.typeText("/no-such-folder\n").wait(time.Second)
		d.sees("Unknown command /no-such-folder: type / to list all commands", "› /no-such-folder")
	})
}

// Linux on Windows has a file /init, which is a mistyped command.
func TestHasFolder(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(
		os.Mkdir(filepath.Join(dir, "tmp"), 0o700), os.WriteFile(filepath.Join(dir, "init"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"tmp": true, "TMP": true, "init": false, "missing": false} {
		if got := hasFolder(dir, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestThinkOnUnsupported(t *testing.T) {
	model := &providertest.Script{
		Models:  []provider.Info{{Name: "test:8b", Context: 32768, Known: true}},
		Replies: []providertest.Reply{{{Text: "Fine."}}},
	}
	drive(t, 80, 24, Options{Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "test:8b"}}}, func(d *driver) {
		d.typeText("/think on\n")
		d.sees("Thinking: on")
		d.typeText("How are you?\n").wait(time.Second)
		d.sees("test:8b cannot think and answers without thinking", "Fine.")
		if asked := model.Requests(); len(asked) != 1 || asked[0].Think == provider.ThinkOn {
			t.Errorf("it was asked %+v", asked)
		}
	})
}
