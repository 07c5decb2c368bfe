package others_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestAFileIsKnownByItsPlaceAndItsText reads files that a person named.
func TestAFileIsKnownByItsPlaceAndItsText(t *testing.T) {
	const stdio = `{"mcpServers": {"a": {"command": "a", "timeout": 2000}}}`
	for _, test := range []struct{ name, text, want string }{
		{"mcp.json", stdio, "Claude Code"},
		{"x/.cursor/mcp.json", stdio, "Cursor"},
		{"x/.vscode/mcp.json", `{"servers": {"a": {"command": "a"}}}`, "VS Code"},
		{"servers.json", `{"servers": {"a": {"command": "a"}}}`, "VS Code"},
		{"my.toml", "[mcp_servers.a]\ncommand = 'a'\n", "Codex"},
		{"my.yaml", "mcpServers:\n  a: {command: [a]}\n", "Kit"},
		{"my-crush.json", `{"mcp": {"a": {"type": "stdio", "command": "a"}}}`, "Crush"},
		{"old/settings.json", stdio, "Claude Code"},
		{"claude_desktop_config.json", "\ufeff" + stdio, "Claude Desktop"},
	} {
		path := filepath.Join(t.TempDir(), filepath.FromSlash(test.name))
		save(t, path, test.text)
		s := others.Read(others.Place{GOOS: "linux", Env: nothing}, path)
		if s.Program != test.want || s.Err != nil || len(s.Servers) != 1 || s.Servers[0].Command.String() != "a" {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

// What no configuration is gets an answer all the same, soon, and without a word of what stands there: it may be a secret.
func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	deep := strings.Repeat(`{"a":[`, 1_000_000)
	for _, test := range []struct{ name, text, want string }{
		{"broken.json", `{"mcpServers": {"a": {"token": sk-secret}}}`, "is not valid JSON at line 1, column 3"},
		{"broken.toml", "a = 1\nb = sk-secret", "is not valid TOML at line 2, column"},
		{"broken.yml", "a: 1\nb: [sk-secret", "is not valid YAML"},
		{"deep.json", deep, "has more than 100 levels"},
		{"deep.toml", "a = " + strings.Repeat("[", 1000), "deeper"},
		{"deep.yml", "a: " + strings.Repeat("[", 100_000), "is not valid YAML"},
		{"bomb.yml", bomb(), "is not valid YAML"},
		{"large.json", strings.Repeat(" ", 17<<20), "is larger than 16 MiB"},
		{"list.json", `["sk-secret"]`, "is a JSON array"},
	} {
		path := filepath.Join(dir, test.name)
		save(t, path, test.text)
		s := others.Read(others.Place{Env: nothing}, path)
		if s.Err == nil || !strings.Contains(s.Err.Error(), test.want) || strings.Contains(s.Err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", test.name, s.Err, test.want)
		}
	}
	if s := others.Read(others.Place{Env: nothing}, dir); s.Err == nil || !strings.Contains(s.Err.Error(), "is no file") {
		t.Errorf("a folder: %v", s.Err)
	}
	if s := others.Read(others.Place{Env: nothing}, filepath.Join(dir, "none.json")); !errors.Is(s.Err, fs.ErrNotExist) {
		t.Errorf("no file: %v", s.Err)
	}
	save(t, filepath.Join(dir, "empty.json"), "\n")
	if s := others.Read(others.Place{Env: nothing}, filepath.Join(dir, "empty.json")); s.Err != nil || s.Servers != nil {
		t.Errorf("an empty file: %+v", s)
	}
}

// bomb is YAML that would grow without end.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for letter := 'a'; letter < 'x'; letter++ {
		fmt.Fprintf(&b, "%c0: &%[1]c0 [*%[2]c0,*%[2]c0,*%[2]c0,*%[2]c0]\n", letter+1, letter)
	}
	return b.String()
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link, loop := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "mcp.json"), filepath.Join(dir, "loop.json")
	save(t, target, `{"mcpServers": {"a": {"command": "a"}}}`)
	if err := errors.Join(os.Symlink(target, link), os.Symlink(loop, loop)); err != nil {
		return // there are no links here
	}
	if s := others.Read(others.Place{Env: nothing}, link); s.Err != nil || len(s.Servers) != 1 {
		t.Errorf("%+v", s)
	}
	if s := others.Read(others.Place{Env: nothing}, loop); s.Err == nil {
		t.Errorf("%+v", s)
	}
}

// What would take long to take apart is not taken apart.
func TestAHostileFileTakesNoTime(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"mcp": {`)
	for i := range 300 {
		fmt.Fprintf(&b, `"s%d": {"command": "a", "args": [%q, %q]},`, i, strings.Repeat("${", 3_000), strings.Repeat("$`", 1_000))
	}
	fmt.Fprintf(&b, `"t": {"command": %q}}}`, strings.Repeat("$", 1_000_000))
	path := filepath.Join(t.TempDir(), "crush.json")
	save(t, path, b.String())
	if s := others.Read(others.Place{Env: nothing}, path); s.Err != nil || len(s.Servers)+len(s.Left) != 201 {
		t.Errorf("%d servers, %d left out: %v", len(s.Servers), len(s.Left), s.Err)
	}
}

// TestEntriesThatAreNone tells why no server can be made of an entry.
func TestEntriesThatAreNone(t *testing.T) {
	for entry, want := range map[string]string{
		`3`:                                   "it is no table",
		`{}`:                                  "it has neither a command nor an address",
		`{"command": {}}`:                     "its command is no text",
		`{"command": ["", "x"]}`:              "it has neither a command nor an address",
		`{"command": "a", "url": "http://x"}`: "it has a command and an address",
		`{"url": "ftp://x"}`:                  "its address is none of http or https",
		`{"command": "a", "type": "carrier"}`: `its type "carrier" is not known here`,
		`{"command": "` + strings.Repeat("a", 40_000) + `"}`:                   "it is larger than a server is",
		`{"command": "a", "args": [` + strings.Repeat(`"a", `, 100_000) + `]}`: "it is larger than a server is",
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		save(t, path, `{"mcpServers": {"a": `+entry+`}}`)
		s := others.Read(others.Place{Env: nothing}, path)
		if len(s.Left) != 1 || s.Left[0].Why != want {
			t.Errorf("%s: %+v, want %q", entry, s, want)
		}
	}
}

// FuzzRead holds that whatever stands in a file is read without harm, and that every server that comes out is one.
func FuzzRead(f *testing.F) {
	files, err := os.ReadFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for text := range strings.SplitSeq(string(files), "\n-- ") {
		name, text, _ := strings.Cut(text, " --\n")
		f.Add(filepath.Base(name), text)
	}
	f.Add("crush.json", `{"mcp":{"a":{"command":"x","args":["$(a $(b)) c","`+"`a` `b`"+`","${a:-${b}}","${","$"]}}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name, text string) {
		ext := filepath.Ext(name)
		if len(text) > 100_000 || ext != ".toml" && ext != ".yml" && ext != ".json" {
			return
		}
		path := filepath.Join(dir, "crush"+ext)
		save(t, path, text)
		for _, server := range others.Read(others.Place{GOOS: "linux", Home: "/home/ada", Env: nothing}, path).Servers {
			if (server.Command == nil) == (server.URL == nil) || server.Transport == "" {
				t.Errorf("%q has a server %+v", text, server)
			}
			for _, word := range append([]others.Text{server.Command, server.URL, server.Cwd}, server.Args...) {
				for _, part := range word {
					if part.Kind == others.Variable && others.VariableName(part.Text) != strings.ToUpper(strings.Trim(part.Text, "_")) && !strings.Contains(part.Text, "_") {
						t.Errorf("%q has the variable %q", text, part.Text)
					}
				}
			}
		}
	})
}
