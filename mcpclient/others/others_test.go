package others_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// unpacked is a home folder and a project with the files of all programs.
func unpacked(t *testing.T) others.Place {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	for _, file := range archive.Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		quoted := strings.ReplaceAll(work, `\`, `\\`)
		save(t, path, strings.ReplaceAll(string(file.Data), "@WORK@", quoted))
	}
	return others.Place{GOOS: "linux", Home: filepath.Join(dir, "home"), Dir: work, Env: nothing}
}

func nothing(string) (string, bool) { return "", false }

func save(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// told writes what was found as text; paths begin with ~ and @.
func told(p others.Place, sources []others.Source) string {
	var b strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&b, "%s %s %v\n", s.Program, s.File, s.Err)
		for _, server := range s.Servers {
			fmt.Fprintf(&b, "  %s: %s\n", server.Name, strings.Join(words(server), " | "))
			for _, remark := range server.Remarks {
				fmt.Fprintf(&b, "    %s\n", remark)
			}
		}
		for _, left := range s.Left {
			fmt.Fprintf(&b, "  - %s: %s\n", left.Name, left.Why)
		}
		for _, in := range s.Inputs {
			fmt.Fprintf(&b, "  ? %+v\n", in)
		}
	}
	text := strings.ReplaceAll(b.String(), p.Dir, "@")
	return strings.ReplaceAll(strings.ReplaceAll(text, p.Home, "~"), `\`, "/")
}

// words are what a server has, the way aloud's configuration would write it.
func words(s others.Server) (all []string) {
	add := func(word string, is bool) {
		if is {
			all = append(all, word)
		}
	}
	all = append(all, s.Transport)
	add(s.URL.String(), s.URL != nil)
	add(s.Command.String(), s.Command != nil)
	for _, arg := range s.Args {
		add(arg.String(), true)
	}
	add("in "+s.Cwd.String(), s.Cwd != nil)
	for _, pairs := range []map[string]others.Text{s.Env, s.Headers} {
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			add(name+"="+pairs[name].String(), true)
		}
	}
	add(fmt.Sprintf("logs in as %v with %v for %v at %d %v", s.Login.ClientID, s.Login.ClientSecret, s.Login.Scopes, s.Login.CallbackPort, s.Login.Off),
		fmt.Sprint(s.Login) != fmt.Sprint(others.Login{}))
	add(fmt.Sprint("passes on ", s.EnvVars), s.EnvVars != nil)
	add(fmt.Sprint("starts in ", s.StartupTimeout), s.StartupTimeout != 0)
	add(fmt.Sprint("answers in ", s.ToolTimeout), s.ToolTimeout != 0)
	add("off", s.Disabled)
	add(fmt.Sprint("only ", s.EnabledTools), s.EnabledTools != nil)
	add(fmt.Sprint("without ", s.DisabledTools), s.DisabledTools != nil)
	return all
}

var update = flag.Bool("update", false, "write testdata/found.txt anew")

// TestFindReadsEveryProgram holds what is found against testdata/found.txt.
func TestFindReadsEveryProgram(t *testing.T) {
	p := unpacked(t)
	got, golden := told(p, others.Find(p)), filepath.Join("testdata", "found.txt")
	if *update {
		save(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%v, got\n%s", err, got)
	}
}

func TestFindReadsOnlyWhatIsWanted(t *testing.T) {
	p := unpacked(t)
	for _, s := range others.Find(p, "cursor", "kit") {
		if s.Program != "Cursor" && s.Program != "Kit" {
			t.Errorf("%s was read", s.Program)
		}
	}
	if s := others.Find(others.Place{GOOS: "linux", Env: nothing}); s != nil {
		t.Errorf("without a home and a folder there is %v", s)
	}
}

// The file in a home folder is the person's own, also when it is named: home is no project, and no folder that servers start in.
func TestANamedFileInTheHomeFolderIsTheirOwn(t *testing.T) {
	p := unpacked(t)
	for _, server := range others.Read(p, filepath.Join(p.Home, ".cursor", "mcp.json")).Servers {
		if server.Cwd != nil {
			t.Errorf("%s starts in %q", server.Name, server.Cwd)
		}
	}
}

// TestFilesOnTheThreeSystems tells where the files of a person are.
func TestFilesOnTheThreeSystems(t *testing.T) {
	dir := t.TempDir() // an absolute path on whatever runs this
	home, roaming, local, xdg := filepath.Join(dir, "ada"), filepath.Join(dir, "Roaming"), filepath.Join(dir, "Local"), filepath.Join(dir, "xdg")
	windows := map[string]string{"APPDATA": roaming, "LOCALAPPDATA": local, "XDG_CONFIG_HOME": xdg}
	moved := map[string]string{"XDG_CONFIG_HOME": xdg, "CODEX_HOME": filepath.Join(dir, "cx"), "CRUSH_GLOBAL_CONFIG": filepath.Join(dir, "cr")}
	for _, test := range []struct {
		program, goos string
		env           map[string]string
		want          string // the first file, below dir
	}{
		{"claude-desktop", "darwin", nil, "ada/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", nil, "ada/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", moved, "xdg/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", windows, "Roaming/Claude/claude_desktop_config.json"},
		{"claude-code", "windows", windows, "ada/.claude.json"},
		{"claude-code", "darwin", nil, "ada/.claude.json"},
		{"vscode", "darwin", nil, "ada/Library/Application Support/Code/User/mcp.json"},
		{"vscode", "linux", nil, "ada/.config/Code/User/mcp.json"},
		{"vscode", "windows", windows, "Roaming/Code/User/mcp.json"},
		{"cursor", "windows", windows, "ada/.cursor/mcp.json"},
		{"gemini", "darwin", nil, "ada/.gemini/settings.json"},
		{"codex", "linux", nil, "ada/.codex/config.toml"},
		{"codex", "linux", moved, "cx/config.toml"},
		{"crush", "darwin", nil, "ada/.config/crush/crush.json"},
		{"crush", "linux", moved, "cr/crush.json"},
		{"crush", "windows", windows, "Local/crush/crush.json"},
		{"kit", "windows", windows, "ada/.kit.yml"},
		{"lmstudio", "darwin", nil, "ada/.lmstudio/mcp.json"},
	} {
		place := others.Place{GOOS: test.goos, Home: home, Env: func(name string) (string, bool) { v, ok := test.env[name]; return v, ok }}
		for _, p := range others.Programs() {
			if p.Key != test.program {
				continue
			}
			if got := p.Files(place)[0].Path; got != filepath.Join(dir, filepath.FromSlash(test.want)) {
				t.Errorf("%s on %s: %s", test.program, test.goos, got)
			}
		}
	}
}
