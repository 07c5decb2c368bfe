package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAllowKeepsTheLayoutOfTheFile(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"an empty file":     {"", "[approval]\nallow = [\"new.*\"]\n"},
		"no table":          {"model = 'm' # mine\n", "model = 'm' # mine\n\n[approval]\nallow = [\"new.*\"]\n"},
		"no last newline":   {"model = 'm'", "model = 'm'\n\n[approval]\nallow = [\"new.*\"]\n"},
		"only comments":     {"# hello\n", "# hello\n\n[approval]\nallow = [\"new.*\"]\n"},
		"an empty table":    {"[approval] # ask\n\n[limits]\n", "[approval] # ask\nallow = [\"new.*\"]\n\n[limits]\n"},
		"a table at an end": {"[approval]", "[approval]\nallow = [\"new.*\"]"},
		"other keys": {
			"[approval]\n# the mode\nmode = 'auto'\n[status]\n",
			"[approval]\nallow = [\"new.*\"]\n# the mode\nmode = 'auto'\n[status]\n",
		},
		"one line":        {"[approval]\nallow = [ 'a.b' ] # these\n", "[approval]\nallow = [ 'a.b', \"new.*\" ] # these\n"},
		"trailing comma":  {"[approval]\nallow = ['a.b',]\n", "[approval]\nallow = ['a.b', \"new.*\",]\n"},
		"an empty array":  {"[approval]\nallow = []\n", "[approval]\nallow = [\"new.*\"]\n"},
		"quoted keys":     {"[ 'approval' ]\n\"allow\" = ['a.b']\n", "[ 'approval' ]\n\"allow\" = ['a.b', \"new.*\"]\n"},
		"brackets inside": {"[approval]\nallow = ['a.b(]#)']\n", "[approval]\nallow = ['a.b(]#)', \"new.*\"]\n"},
		"one a line": {
			"[approval]\nallow = [\n\t'a.b', # reads\n\t'c.d', # writes\n\t# the end\n]\nmode = 'ask'\n",
			"[approval]\nallow = [\n\t'a.b', # reads\n\t'c.d', # writes\n\t\"new.*\",\n\t# the end\n]\nmode = 'ask'\n",
		},
		"one a line, no last comma": {
			"[approval]\nallow = [\n    'a.b',\n    'c.d' # writes\n]\n",
			"[approval]\nallow = [\n    'a.b',\n    'c.d', # writes\n    \"new.*\"\n]\n",
		},
		"begins behind the bracket": {
			"[approval]\nallow = ['a.b',\n         'c.d']\n",
			"[approval]\nallow = ['a.b',\n         'c.d', \"new.*\"]\n",
		},
		"an empty array of lines": {"[approval]\nallow = [\n  # none\n]\n", "[approval]\nallow = [\n  # none\n\"new.*\"]\n"},
		"an inline table":         {"approval = { mode = 'ask' }\n", "approval = { mode = 'ask', allow = [\"new.*\"] }\n"},
		"an inline table with it": {"approval = { allow = ['a.b'], mode = 'ask' }\n", "approval = { allow = ['a.b', \"new.*\"], mode = 'ask' }\n"},
		"an empty inline table":   {"approval = {}\n", "approval = { allow = [\"new.*\"] }\n"},
		"dotted keys":             {"approval.mode = 'ask' # always\n[limits]\n", "approval.mode = 'ask' # always\napproval.allow = [\"new.*\"]\n[limits]\n"},
		"a dotted allow":          {"approval.allow = ['a.b']\n", "approval.allow = ['a.b', \"new.*\"]\n"},
		"Windows lines":           {"[approval]\r\nallow = [\r\n  'a.b',\r\n]\r\n", "[approval]\r\nallow = [\r\n  'a.b',\r\n  \"new.*\",\r\n]\r\n"},
		"a byte order mark":       {"\ufeff[approval]\nallow = []\n", "\ufeff[approval]\nallow = [\"new.*\"]\n"},
		"there already":           {"[approval]\nallow = ['new.*']\n", "[approval]\nallow = ['new.*']\n"},
	} {
		path := write(t, test.before)
		for range 2 { // the second time it is there already
			if err := config.Allow(path, environment(t), "new.*"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := read(t, path); got != test.after {
				t.Errorf("%s:\n%s\nbecame\n%s\nwant\n%s", name, test.before, got, test.after)
			}
		}
	}
}

func TestAllowMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config.toml")
	pattern := `odd."quoted\*"` + "\u202e.*"
	if err := config.Allow(path, environment(t), pattern); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
	if err != nil || !slices.Equal(c.Approval.Allow, []string{pattern}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAllowGoesThroughASymbolicLink(t *testing.T) {
	target := write(t, "model = 'm'\n")
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := config.Allow(link, environment(t), "a.b"); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != target || !strings.Contains(read(t, target), "a.b") {
		t.Errorf("the link is %q, %v; its target is %q", to, err, read(t, target))
	}
}

func TestAllowLeavesAloneWhatItDoesNotUnderstand(t *testing.T) {
	for _, text := range []string{"model = ", "approval = 3\n", "[[approval]]\n", "[approval]\nallow = 'x'\n", "[approval.allow]\n"} {
		path := write(t, text)
		err := config.Allow(path, environment(t), "a.b")
		if err == nil || read(t, path) != text {
			t.Errorf("%q: %v, now %q", text, err, read(t, path))
		}
	}
	if err := config.Allow(write(t, ""), environment(t), ""); err == nil {
		t.Error("an empty pattern was allowed")
	}
	if err := config.Allow("", environment(t), "a.b"); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("without a file: %v", err)
	}
}

func FuzzAllow(f *testing.F) {
	f.Add("[approval]\nallow = [\n 'a.b', # c\n]\n", "x.y")
	f.Add("approval = { allow = [] }", "x.\"")
	f.Add("a = [[[1]]]\napproval.mode = 1", "x.\u009b")
	f.Fuzz(func(t *testing.T, text, pattern string) {
		path := write(t, text)
		if err := config.Allow(path, environment(t), pattern); err != nil {
			if read(t, path) != text {
				t.Errorf("%q was changed although %v", text, err)
			}
			return
		}
		once := read(t, path)
		if err := config.Allow(path, environment(t), pattern); err != nil || read(t, path) != once {
			t.Errorf("%q again: %v", once, err)
		}
	})
}
