package attach

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		text, name, arg string
		ok              bool
	}{
		{"/help", "help", "", true},
		{"/EXIT now", "quit", "now", true},
		{"/new", "clear", "", true},
		{"/Model  qwen3:8b ", "model", "qwen3:8b", true},
		{"/system Be short.\nAnd kind.", "system", "Be short.\nAnd kind.", true},
		{"/etc/hosts is a file?", "", "", false},
		{"/", "", "", false},
		{"/ help", "", "", false},
		{"what is /help?", "", "", false},
	} {
		if name, arg, ok := Typed(c.text).Command(); name != c.name || arg != c.arg || ok != c.ok {
			t.Errorf("Command of %q is %q, %q, %v", c.text, name, arg, ok)
		}
	}
	for _, in := range []Input{
		{Text: "/help", Message: true}, {Text: "/help", Foreign: []Span{{From: 0, Until: 5}}},
	} {
		if _, _, ok := in.Command(); ok {
			t.Errorf("%+v is a command", in)
		}
	}
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
