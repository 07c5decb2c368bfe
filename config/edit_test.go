package config_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/atomicfile"
)

// notes is a server with every kind of value.
var notes = entry("notes", "npx", func(s *config.Server) {
	s.Note, s.Args, s.Env = "from a test", []string{"-y", "server", `C:\a "b"`}, map[string]string{"A": "${A:-a}"}
	s.Cwd, s.StartupTimeout, s.ToolTimeout = "~", 30*time.Second, 1500*time.Millisecond
	s.Enabled, s.EnabledTools = false, []string{"read_*"}
})

// entry returns a server to write.
func entry(name, command string, change ...func(*config.Server)) config.Server {
	s := config.NewServer(name)
	s.Command = command
	for _, f := range change {
		f(&s)
	}
	return s
}

const notesText = `[mcp_servers.notes] # from a test
command = "npx"
args = ["-y", "server", "C:\\a \"b\""]
env = { A = "${A:-a}" }
cwd = "~"
enabled = false
startup_timeout_sec = 30
tool_timeout_sec = 1.5
enabled_tools = ["read_*"]
`

// TestAddServersKeepsTheRest adds a server to files and removes it again.
func TestAddServersKeepsTheRest(t *testing.T) {
	for name, before := range map[string]string{
		"empty":           "",
		"comments":        "# mine\nmodel = \"m\" # why\n\n\n[limits] # few\niterations = 3\n# the end\n",
		"another server":  "[mcp_servers.docs]\nurl = \"http://x\"\n\n[mcp_servers.docs.http_headers]\nX = \"y\"\n",
		"one table":       "[mcp_servers]\nclock.enabled = false\nfiles = { builtin_write = true }\n",
		"tables after":    "[mcp_servers.docs]\nurl = \"http://x\"\n[approval]\nallow = [\n  \"docs.*\", # all\n]\n",
		"byte order mark": "\ufeffmodel = \"m\"\n",
	} {
		path := write(t, before)
		if err := config.AddServers(path, environment(t), notes); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after := content(t, path)
		if !strings.HasPrefix(after, before) || !strings.HasSuffix(after, notesText) {
			t.Errorf("%s became\n%s", name, after)
		}
		s := server(t, load(t, content(t, path)), "notes")
		if s.Command != "npx" || s.Args[2] != `C:\a "b"` || s.Env["A"] != "a" || s.Enabled {
			t.Errorf("%s: it is read as %+v", name, s)
		}
		if err := config.RemoveServer(path, environment(t), "notes"); err != nil || content(t, path) != before {
			t.Errorf("%s, taken out again (%v), became\n%q", name, err, content(t, path))
		}
	}
}

func TestEditKeepsLineEndings(t *testing.T) {
	const before = "model = \"m\"\r\n[limits]\r\niterations = 3"
	path := write(t, before) // without a newline at the end
	must(t, config.AddServers(path, environment(t), notes))
	want := before + "\r\n\r\n" + strings.ReplaceAll(notesText, "\n", "\r\n")
	if got := content(t, path); got != want {
		t.Errorf("got %q", got)
	}
	if err := config.RemoveServer(path, environment(t), "notes"); err != nil || content(t, path) != before+"\r\n" {
		t.Errorf("%v, got %q", err, content(t, path))
	}
}

func TestRemoveServerKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{
			"a table with what is below it, between others",
			"[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.x]\n# inside\ncommand = \"x\"\n\n" +
				"[mcp_servers.x.env]\nA = \"a\"\n\n# b\n[mcp_servers.b]\ncommand = \"b\"\n",
			"[mcp_servers.a]\ncommand = \"a\"\n\n# b\n[mcp_servers.b]\ncommand = \"b\"\n",
		},
		{
			"tables apart",
			"[mcp_servers.x]\nurl = 'http://x'\n[limits]\niterations = 3\n[mcp_servers.x.oauth]\n[status]\ntitle = true\n",
			"[limits]\niterations = 3\n[status]\ntitle = true\n",
		},
		{
			"comments around it",
			"think = \"on\"\n\n# x\n#[mcp_servers.old]\n[mcp_servers.x]\ncommand = \"x\"\n# args = []\n\n# status\n[status]\n",
			"think = \"on\"\n\n# x\n#[mcp_servers.old]\n# args = []\n\n# status\n[status]\n",
		},
		{"comments at the end", "think = \"on\"\n\n[mcp_servers.x]\ncommand = \"x\"\n\n# end\n", "think = \"on\"\n\n# end\n"},
		{"quotes in the key", "model = \"m\"\n\n[ mcp_servers . \"x\" ]\ncommand = \"x\"", "model = \"m\"\n"},
	} {
		path := write(t, test.before)
		if err := config.RemoveServer(path, environment(t), "x"); err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := content(t, path); got != test.after {
			t.Errorf("%s\n got %q\nwant %q", test.name, got, test.after)
		}
	}
}

func TestFailedEditChangesNothing(t *testing.T) {
	for _, test := range []struct {
		name, before, want string
		edit               func(string, func(string) (string, bool)) error
	}{
		{"a mistake before", "modle = \"m\"\n", `1:1: unknown key "modle"`, add(notes)},
		{"no TOML", "model = \n", "invalid TOML", add(notes)},
		{"there already", "[mcp_servers.notes]\ncommand = \"x\"\n", `server "notes" already exists`, add(notes)},
		{"a table in one value", "mcp_servers = { clock = { enabled = false } }\n", "would make it invalid", add(notes)},
		{"dotted keys", "[mcp_servers]\nx.command = \"x\"\n", "Remove it by hand", remove("x")},
		{"larger than is read", "", "larger than 1 MiB", add(entry("x", strings.Repeat("x", 2<<20)))},
		{"not there", "model = \"m\"\n", `no server "x" in`, remove("x")},
		{"in one value", "mcp_servers = { x = { command = \"x\" }, clock = {} }\n", "Remove it by hand", remove("x")},
	} {
		path := write(t, test.before)
		err := test.edit(path, environment(t))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if got := content(t, path); got != test.before {
			t.Errorf("%s became %q", test.name, got)
		}
	}
}

func TestEditMissingFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "new", "config.toml")
	if err := config.AddServers(missing, environment(t), notes); err != nil || content(t, missing) != notesText {
		t.Errorf("a new file says %q, %v", content(t, missing), err)
	}
	if err := config.RemoveServer(filepath.Join(dir, "none.toml"), environment(t), "x"); err == nil {
		t.Error("a server was removed from a missing file")
	}
	if err := config.AddServers("", environment(t), notes); err == nil {
		t.Error("a server was added without a path")
	}
}

func TestNoteIsOneComment(t *testing.T) {
	path := write(t, "")
	noted := entry("x", "x", func(s *config.Server) { s.Note = "from\nmodel = \"m\" \x1b[2J \"a\\b\"" })
	must(t, config.AddServers(path, environment(t), noted))
	if got := content(t, path); got != "[mcp_servers.x] # from model = \"m\" [2J \"a\\b\"\ncommand = \"x\"\n" {
		t.Errorf("got %q", got)
	}
}

func TestAllowKeepsLayout(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"no table":       {"model = 'm' # mine\n", "model = 'm' # mine\n\n[approval]\nallow = [\"new.*\"]\n"},
		"an empty table": {"[approval] # ask\n\n[limits]\n", "[approval] # ask\nallow = [\"new.*\"]\n\n[limits]\n"},
		"other keys": {
			"[approval]\n# the mode\nmode = 'auto'\n[status]\n",
			"[approval]\nallow = [\"new.*\"]\n# the mode\nmode = 'auto'\n[status]\n",
		},
		"one line":        {"[approval]\nallow = [ 'a.b' ] # these\n", "[approval]\nallow = [ \"new.*\", 'a.b' ] # these\n"},
		"quoted keys":     {"[ 'approval' ]\n\"allow\" = ['a.b']\n", "[ 'approval' ]\n\"allow\" = [\"new.*\", 'a.b']\n"},
		"brackets inside": {"[approval]\nallow = ['a.b(]#)']\n", "[approval]\nallow = [\"new.*\", 'a.b(]#)']\n"},
		"one a line": {
			"[approval]\nallow = [\n\t'a.b', # reads\n\t'c.d', # writes\n\t# the end\n]\nmode = 'ask'\n",
			"[approval]\nallow = [\n\t\"new.*\",\n\t'a.b', # reads\n\t'c.d', # writes\n\t# the end\n]\nmode = 'ask'\n",
		},
		"one a line, no last comma": {
			"[approval]\nallow = [\n    'a.b',\n    'c.d' # writes\n]\n",
			"[approval]\nallow = [\n    \"new.*\",\n    'a.b',\n    'c.d' # writes\n]\n",
		},
		"after the bracket": {
			"[approval]\nallow = ['a.b',\n         'c.d']\n",
			"[approval]\nallow = [\"new.*\", 'a.b',\n         'c.d']\n",
		},
		"a dotted allow": {"approval.allow = ['a.b']\n", "approval.allow = [\"new.*\", 'a.b']\n"},
		"Windows lines": {
			"[approval]\r\nallow = [\r\n  'a.b',\r\n]\r\n",
			"[approval]\r\nallow = [\r\n  \"new.*\",\r\n  'a.b',\r\n]\r\n",
		},
		"a byte order mark": {"\ufeff[approval]\nallow = []\n", "\ufeff[approval]\nallow = [\"new.*\"]\n"},
		"there already":     {"[approval]\nallow = ['new.*']\n", "[approval]\nallow = ['new.*']\n"},
	} {
		path := write(t, test.before)
		for range 2 { // the second time changes nothing
			if err := config.Allow(path, environment(t), "new.*"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := content(t, path); got != test.after {
				t.Errorf("%s:\n%s\nbecame\n%s\nwant\n%s", name, test.before, got, test.after)
			}
		}
	}
}

func TestFailedAllowChangesNothing(t *testing.T) {
	for _, text := range []string{
		"model = ", "[[approval]]\n", "[approval]\nallow = 'x'\n", "approval = { mode = 'ask' }\n", "approval.mode = 'ask'\n",
	} {
		path := write(t, text)
		err := config.Allow(path, environment(t), "a.b")
		if err == nil || content(t, path) != text {
			t.Errorf("%q: %v, now %q", text, err, content(t, path))
		}
	}
	if err := config.Allow(write(t, ""), environment(t), ""); err == nil {
		t.Error("an empty pattern was allowed")
	}
}

func TestConcurrentEdits(t *testing.T) {
	path, env := write(t, "# mine\n"), environment(t)
	var edits sync.WaitGroup
	const each = 10
	for i := range each {
		edits.Go(func() {
			if err := config.Allow(path, env, fmt.Sprintf("s%d.*", i)); err != nil {
				t.Error(err)
			}
		})
		edits.Go(func() {
			if err := config.AddServers(path, env, entry(fmt.Sprintf("s%d", i), "x")); err != nil {
				t.Error(err)
			}
		})
	}
	edits.Wait()
	c, err := config.Load(config.LoadOptions{Path: path, Env: env})
	must(t, err)
	for i := range each {
		if name := fmt.Sprintf("s%d", i); !slices.Contains(c.Approval.Allow, name+".*") || server(t, c, name).Command != "x" {
			t.Errorf("an edit of %s is lost", name)
		}
	}
}

func TestEditWhileLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, env := write(t, "# mine\n"), environment(t)
		dir, err := config.StateDir(env)
		must(t, err)
		unlock, err := atomicfile.Lock(t.Context(), filepath.Join(dir, "config.lock"))
		must(t, err)
		if err := config.Allow(path, env, "a.b"); err == nil || !strings.Contains(err.Error(), "another aloud process") {
			t.Error(err)
		}
		unlock()
		if err := config.Allow(path, env, "a.b"); err != nil {
			t.Error(err)
		}
	})
}

// FuzzEdit checks that an edit either fails and changes nothing, or can be undone.
func FuzzEdit(f *testing.F) {
	f.Add("# mine\n[mcp_servers.x]\ncommand = \"a\"\n", "notes", "npx", "-y")
	f.Add("mcp_servers.x.command = 'a'\r\n", "y", "${A}", "\x00\n\"")
	f.Add("[mcp_servers]\nx = {command='a'}", "x", "", "é\ufeff")
	f.Add("\ufeff[[a]]\n", "x", "x", "")
	f.Fuzz(func(t *testing.T, before, name, command, arg string) {
		if len(before) > 10_000 {
			return
		}
		path := write(t, before)
		env := func(string) (string, bool) { return "", false }
		notes := entry(name, command, func(s *config.Server) {
			s.Args, s.Env = []string{arg}, map[string]string{"A": arg, "b c": "d"}
		})
		if err := config.AddServers(path, env, notes); err != nil {
			if content(t, path) != before {
				t.Fatalf("an edit that failed (%v) made of %q\n%q", err, before, content(t, path))
			}
			return
		}
		added := content(t, path)
		if !strings.HasPrefix(added, before) {
			t.Fatalf("%q became %q", before, added)
		}
		if err := config.RemoveServer(path, env, name); err != nil {
			t.Fatalf("what was added to %q cannot be taken out: %v", before, err)
		}
		removed := content(t, path)
		if err := config.Allow(path, env, name); err != nil && content(t, path) != removed {
			t.Fatalf("%q was changed although %v", removed, err)
		}
		if strings.TrimRight(removed, "\r\n") != strings.TrimRight(before, "\r\n") {
			t.Fatalf("%q became %q", before, removed)
		}
	})
}

func add(servers ...config.Server) func(string, func(string) (string, bool)) error {
	return func(path string, env func(string) (string, bool)) error {
		return config.AddServers(path, env, servers...)
	}
}

func remove(name string) func(string, func(string) (string, bool)) error {
	return func(path string, env func(string) (string, bool)) error { return config.RemoveServer(path, env, name) }
}
