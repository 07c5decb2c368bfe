package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config"
)

// notes is a server of every kind of value.
var notes = config.Entry{
	Name: "notes", Note: "from a test", Command: "npx", Args: []string{"-y", "server", `C:\a "b"`}, Env: map[string]string{"A": "${A:-a}"},
	Cwd: "~", Startup: 30 * time.Second, Tool: 1500 * time.Millisecond, Disabled: true, EnabledTools: []string{"read_*"},
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

// TestAddedServersLeaveTheRestAsItIs adds a server to files as people write them, and takes it out again.
func TestAddedServersLeaveTheRestAsItIs(t *testing.T) {
	for name, before := range map[string]string{
		"empty":           "",
		"comments":        "# mine\nmodel = \"m\" # why\n\n\n[limits] # few\niterations = 3\n# the end\n",
		"another server":  "[mcp_servers.docs]\nurl = \"http://x\"\n\n[mcp_servers.docs.http_headers]\nX = \"y\"\n",
		"dotted keys":     "mcp_servers.clock.enabled = false\n",
		"one table":       "[mcp_servers]\nclock.enabled = false\nfiles = { builtin_write = true }\n",
		"tables after":    "[mcp_servers.docs]\nurl = \"http://x\"\n[approval]\nallow = [\n  \"docs.*\", # all\n]\n",
		"byte order mark": "\ufeffmodel = \"m\"\n",
	} {
		path := write(t, before)
		if err := config.AddServers(path, environment(t), notes); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after := text(t, path)
		if !strings.HasPrefix(after, before) || !strings.HasSuffix(after, notesText) {
			t.Errorf("%s became\n%s", name, after)
		}
		server := find(t, path, "notes")
		if server.Command != "npx" || server.Args[2] != `C:\a "b"` || server.Env["A"] != "a" || server.Enabled || server.ToolTimeout != 1500*time.Millisecond {
			t.Errorf("%s: it is read as %+v", name, server)
		}
		if err := config.RemoveServer(path, environment(t), "notes"); err != nil || text(t, path) != before {
			t.Errorf("%s, taken out again (%v), became\n%q", name, err, text(t, path))
		}
	}
}

func TestLinesEndAsInTheRestOfTheFile(t *testing.T) {
	path := write(t, "model = \"m\"\r\n[limits]\r\niterations = 3") // and no newline at the end
	if err := config.AddServers(path, environment(t), notes); err != nil {
		t.Fatal(err)
	}
	want := "model = \"m\"\r\n[limits]\r\niterations = 3\r\n\r\n" + strings.ReplaceAll(notesText, "\n", "\r\n")
	if got := text(t, path); got != want {
		t.Errorf("got %q", got)
	}
	if err := config.RemoveServer(path, environment(t), "notes"); err != nil || text(t, path) != "model = \"m\"\r\n[limits]\r\niterations = 3\r\n" {
		t.Errorf("%v, got %q", err, text(t, path))
	}
}

func TestLongListsGoOverSeveralLines(t *testing.T) {
	long := strings.Repeat("word ", 30)
	path := write(t, "")
	entry := config.Entry{Name: "long", URL: "https://example.com/mcp", Transport: "sse", Headers: map[string]string{"X": long, "Y.z": "${NO:-}"}, EnabledTools: []string{long, "b"}}
	if err := config.AddServers(path, environment(t), entry); err != nil {
		t.Fatal(err)
	}
	if s := find(t, path, "long"); s.Headers["X"] != long || s.Headers["Y.z"] != "" || s.Transport != "sse" || s.EnabledTools[0] != long {
		t.Errorf("%+v in\n%s", s, text(t, path))
	}
	for _, line := range []string{"enabled_tools = [\n  \"word", "\n  \"b\",\n]\n", "\nhttp_headers.X = ", "\nhttp_headers.\"Y.z\" = "} {
		if !strings.Contains(text(t, path), line) {
			t.Errorf("there is no %q in\n%s", line, text(t, path))
		}
	}
}

func TestRemovedServersLeaveTheRestAsItIs(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{
			"a table with what is below it, between others",
			"# all\n[mcp_servers.a]\ncommand = \"a\" # a\n# args = []\n\n# x itself\n[mcp_servers.x]\n# inside\ncommand = \"x\"\n\n[mcp_servers.x.env]\nA = \"a\"\n# B = \"b\"\n\n# b\n[mcp_servers.b]\ncommand = \"b\"\n",
			"# all\n[mcp_servers.a]\ncommand = \"a\" # a\n# args = []\n\n# b\n[mcp_servers.b]\ncommand = \"b\"\n",
		},
		{
			"what stands above: of the file, of a table before, its own",
			"# mine\n[mcp_servers.x]\nurl = \"http://x\"\n\n[limits]\n# iterations = 3\n[mcp_servers.x.http_headers]\nA = \"a\"\n\n# one\n# two\n[mcp_servers.x.oauth]\n",
			"# mine\n[limits]\n# iterations = 3\n",
		},
		{
			"tables apart",
			"[mcp_servers.x]\ncommand = \"x\"\n[limits]\niterations = 3\n[mcp_servers.x.env]\nA = \"a\"\n[status]\ntitle = true\n",
			"[limits]\niterations = 3\n[status]\ntitle = true\n",
		},
		{
			"lines of a table",
			"[mcp_servers]\nclock.enabled = false\nx.command = \"x\" # x\nx.args = [\n  \"a\", # one\n]\nfiles = { builtin_write = true }\n",
			"[mcp_servers]\nclock.enabled = false\nfiles = { builtin_write = true }\n",
		},
		{"one value", "[mcp_servers]\nx = { command = \"x\" }\n\n[limits]\niterations = 3\n", "[mcp_servers]\n\n[limits]\niterations = 3\n"},
		{"a comment that is of what follows", "[mcp_servers.x]\ncommand = \"x\"\n# limits\n[limits]\niterations = 3\n", "# limits\n[limits]\niterations = 3\n"},
		{
			"a server below that is switched off", "[mcp_servers.x]\ncommand = \"x\"\n# args = []\n# [mcp_servers.old]\n# command = \"old\"\n\n[limits]\niterations = 3\n",
			"# [mcp_servers.old]\n# command = \"old\"\n\n[limits]\niterations = 3\n",
		},
		{
			"a server above that is switched off", "model = \"m\"\n\n#[mcp_servers.old]\n#command = \"old\"\n[mcp_servers.x]\ncommand = \"x\"\n",
			"model = \"m\"\n\n#[mcp_servers.old]\n#command = \"old\"\n",
		},
		{
			"comments between what is taken out", "[mcp_servers.x]\ncommand = \"x\"\n# about env\n[mcp_servers.x.env]\nA = \"a\"\n\n[mcp_servers.b]\ncommand = \"b\"\n",
			"[mcp_servers.b]\ncommand = \"b\"\n",
		},
		{
			"a switched off server between what is taken out",
			"[mcp_servers.x]\ncommand = \"x\"\n\n# [mcp_servers.old]\n# command = \"old\"\n\n[mcp_servers.x.env]\nA = \"a\"\n\n[mcp_servers.b]\ncommand = \"b\"\n",
			"# [mcp_servers.old]\n# command = \"old\"\n\n[mcp_servers.b]\ncommand = \"b\"\n",
		},
		{"quotes in the key", "model = \"m\"\n\n[ mcp_servers . \"x\" ]\ncommand = \"x\"", "model = \"m\"\n"},
	} {
		path := write(t, test.before)
		if err := config.RemoveServer(path, environment(t), "x"); err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := text(t, path); got != test.after {
			t.Errorf("%s\n got %q\nwant %q", test.name, got, test.after)
		}
	}
}

// A file that would not be right afterwards stays as it is, and what is wrong is said.
func TestWhatCannotBeEditedStays(t *testing.T) {
	for _, test := range []struct {
		name, before, want string
		edit               func(string, func(string) (string, bool)) error
	}{
		{"a mistake before", "modle = \"m\"\n", `1:1: unknown key "modle" at the top level; did you mean "model"?`, add(notes)},
		{"no TOML", "model = \n", "the file is not valid TOML", add(notes)},
		{"there already", "[mcp_servers.notes]\ncommand = \"x\"\n", `there is a server "notes" already`, add(notes)},
		{"twice at once", "", `there is a server "notes" already`, add(notes, notes)},
		{"a name that is none", "", `"a.b" must be letters`, add(config.Entry{Name: "a.b", Command: "x"})},
		{"a table in one value", "mcp_servers = { clock = { enabled = false } }\n", "write them yourself", add(notes)},
		{"no table", "mcp_servers = 3\n", "must be a table", add(notes)},
		{"an address that is none", "", `"url" is no address`, add(config.Entry{Name: "x", URL: "example.com"})},
		{"${ without }", "", "${ without }", add(config.Entry{Name: "x", Command: "${"})},
		{"larger than is read", "", "larger than 1 MiB", add(config.Entry{Name: "x", Command: strings.Repeat("x", 2<<20)})},
		{"not there", "model = \"m\"\n", `there is no server "x"`, remove("x")},
		{"in one value", "mcp_servers = { x = { command = \"x\" }, clock = {} }\n", "could not be taken out", remove("x")},
	} {
		path := write(t, test.before)
		err := test.edit(path, environment(t))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		} else if before := test.name == "a mistake before"; before && strings.Contains(err.Error(), "with the change") {
			t.Errorf("%s is laid on the change: %v", test.name, err)
		}
		if got := text(t, path); got != test.before {
			t.Errorf("%s became %q", test.name, got)
		}
	}
}

func TestAServerMayWaitForAVariable(t *testing.T) {
	path := write(t, "")
	if err := config.AddServers(path, environment(t), config.Entry{Name: "x", URL: "https://x.example/mcp", BearerEnv: "NOT_SET"}); err != nil {
		t.Fatal(err)
	}
	if s := find(t, path, "x"); s.Unset == nil {
		t.Error("it waits for nothing")
	}
}

func TestEditedFilesStayWhereAndWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "new", "config.toml")
	if err := config.AddServers(missing, environment(t), notes); err != nil || text(t, missing) != notesText {
		t.Errorf("a new file says %q, %v", text(t, missing), err)
	}
	if err := config.RemoveServer(filepath.Join(dir, "none.toml"), environment(t), "x"); err == nil {
		t.Error("a server was taken out of no file")
	}
	if err := config.AddServers("", environment(t), notes); err == nil {
		t.Error("a server was added to no file")
	}
	if runtime.GOOS == "windows" {
		return // there are no permissions, and links need a right
	}
	target, link := filepath.Join(dir, "target.toml"), filepath.Join(dir, "link.toml")
	if err := errors.Join(os.WriteFile(target, []byte("# mine\n"), 0o640), os.Chmod(target, 0o640), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := config.AddServers(link, environment(t), notes); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 || text(t, target) != "# mine\n\n"+notesText {
		t.Errorf("the target is %v, %v: %q", info, err, text(t, target))
	}
}

// Nothing in a comment may end it, or change how a terminal shows it.
func TestANoteStaysAComment(t *testing.T) {
	path := write(t, "")
	if err := config.AddServers(path, environment(t), config.Entry{Name: "x", Command: "x", Note: "from\nmodel = \"m\" \x1b[2J \"a\\b\""}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, path); got != "[mcp_servers.x] # from model = \"m\" \\U0000001B[2J \"a\\b\"\ncommand = \"x\"\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzEdit holds that an edit either changes nothing or adds and takes out exactly one server.
func FuzzEdit(f *testing.F) {
	f.Add("# mine\n[mcp_servers.x]\ncommand = \"a\"\n", "notes", "npx", "-y")
	f.Add("mcp_servers.x.command = 'a'\r\n", "y", "${A}", "\x00\n\"")
	f.Add("[mcp_servers]\nx = {command='a'}", "x", "", "é\ufeff")
	f.Add("\ufeff[[a]]\n", "x", "x", "")
	f.Fuzz(func(t *testing.T, before, name, command, arg string) {
		if len(before) > 10_000 {
			return
		}
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		env := func(string) (string, bool) { return "", false }
		entry := config.Entry{Name: name, Command: command, Args: []string{arg}, Env: map[string]string{"A": arg, "b c": "d"}}
		if err := config.AddServers(path, env, entry); err != nil {
			if text(t, path) != before {
				t.Fatalf("an edit that failed (%v) made of %q\n%q", err, before, text(t, path))
			}
			return
		}
		added := text(t, path)
		if !strings.HasPrefix(added, before) {
			t.Fatalf("%q became %q", before, added)
		}
		if err := config.RemoveServer(path, env, name); err != nil {
			t.Fatalf("what was added to %q cannot be taken out: %v", before, err)
		}
		removed := text(t, path)
		if strings.TrimRight(removed, "\r\n") != strings.TrimRight(before, "\r\n") {
			t.Fatalf("%q became %q", before, removed)
		}
	})
}

func add(entries ...config.Entry) func(string, func(string) (string, bool)) error {
	return func(path string, env func(string) (string, bool)) error {
		return config.AddServers(path, env, entries...)
	}
}

func remove(name string) func(string, func(string) (string, bool)) error {
	return func(path string, env func(string) (string, bool)) error { return config.RemoveServer(path, env, name) }
}

func text(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// find is a server of a file that must be right.
func find(t *testing.T, path, name string) config.Server {
	t.Helper()
	c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
	if err != nil {
		t.Fatal(err)
	}
	return server(t, c, name)
}
