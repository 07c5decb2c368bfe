package ui

import (
	"testing"

	"github.com/aloudchat/aloud/provider/attach"
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

func TestNearestCommand(t *testing.T) {
	for typed, want := range map[string]string{"hlep": "help", "mod": "model", "tool": "tools", "exit": "quit", "clera": "clear", "sttaus": "status", "frob": "", "é": ""} {
		if _, nearest, ok := findCommand(typed); ok || nearest != want {
			t.Errorf("nearest to %q is %q, not %q", typed, nearest, want)
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	for _, seed := range []string{"/help", "/", "/mo", "/é", "/model x", "//", "/\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if name, _, ok := parseCommand(attach.Typed(text)); ok {
			if c, nearest, known := findCommand(name); known && nearest != "" || known != (c.name == name) {
				t.Errorf("%q is %q, known: %v, nearest %q", name, c.name, known, nearest)
			}
		}
	})
}
