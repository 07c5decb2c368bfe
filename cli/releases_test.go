package cli_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/ui/composer"
)

// The files of each release are in testdata/releases. To keep those of a new one, or to write again what every command
// prints:
//
//	go test ./cli -run TestRelease -keep 0.2.0
//	go test ./cli -run TestRelease -update
var (
	keep   = flag.String("keep", "", "keep the files of this release in testdata/releases")
	update = flag.Bool("update", false, "write testdata/releases/*/opened.txt")
)

const (
	releases  = "testdata/releases"
	elsewhere = "/home/ada/work" // stands for the working folder in the files

	vaultAddress = "http://vault.example/mcp"
)

// home is a home folder of aloud, with a working folder.
type home struct {
	t    *testing.T
	dir  string // with config, state and work
	work string
	env  []string
}

func newHome(t *testing.T, more ...string) *home {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t, dir, filepath.Join(dir, "work"), append(os.Environ(), more...)}
	h.env = append(h.env, "HOME="+dir, "USERPROFILE="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "TZ=UTC", "TERM=dumb", "BROWSER=web")
	h.write("work/notes.md", "Call John about the lamp.\n")
	return h
}

func (h *home) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// run runs aloud and returns its exit code and what it prints.
func (h *home) run(args ...string) (code int, said string) {
	h.t.Helper()
	aloud := exec.Command("aloud", args...)
	aloud.Dir, aloud.Env = h.work, h.env
	out, err := aloud.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		h.t.Fatal(err)
	}
	return aloud.ProcessState.ExitCode(), string(out)
}

// files returns the content of the configuration and the state.
func (h *home) files() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(h.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "work/") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(h.dir, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// releaseConfig has a grant, a theme, a provider, and an MCP server with a login that is turned off.
const releaseConfig = `provider = "demo"

[providers.gpu]
type = "openai"
base_url = "http://gpu.example:8000/v1"

[ui]
theme = "sea"

[approval]
allow = ["files.write_file"]

[mcp_servers.vault]
url = "${VAULT}"
enabled = false
`

// TestReleaseFilesAreMade uses aloud as it is for a while, so that there is a file of each kind.
func TestReleaseFilesAreMade(t *testing.T) {
	t.Parallel()
	issuer := oauthtest.NewIssuer(oauthtest.Plain())
	defer issuer.Close()
	vault := oauthtest.NewResource(issuer)
	defer vault.Close()
	h := newHome(t, "VAULT="+vault.URL)
	h.write("config/aloud/config.toml", releaseConfig)
	h.write("config/aloud/themes/sea.toml", "base = \"dark\"\nabout = \"green and blue\"\naccent = \"#7fd1d8\"\n")
	h.write("work/small.toml", "provider = \"demo\"\ncontext = 4096\n")
	long := strings.Repeat("Call me Ishmael. Some years ago, never mind how long. ", 70)
	for _, args := range [][]string{
		{"mcp", "login", "vault"},
		{"-p", "read @notes.md"}, {"sessions", "rename", "", "the", "lamp"},
		{"-p", "what time is it in Tokyo?"}, {"--continue", "-p", "and in London?"},
		{"--resume", "--at", "2", "-p", "what time is it in Paris?"},
		{"--config", "small.toml", "-p", long + "what time is it in Tokyo?"},
		{"--config", "small.toml", "--continue", "-p", long + "what time is it in London?"},
		{"--config", "small.toml", "--continue", "-p", long + "what time is it in Berlin?"},
	} {
		if code, said := h.run(args...); code != 0 {
			t.Fatalf("%.100q: exit code %d\n%s", args, code, said)
		}
	}
	state := filepath.Join(h.dir, "state", "aloud")
	speeds := pace.Open(filepath.Join(state, "models.json"), "http://127.0.0.1:11434")
	speeds.NoteLoad("qwen3:8b", 4*time.Second)
	err := errors.Join(config.RememberTool(state, "files", "write_file", false), speeds.Save(),
		config.RememberModel(state, config.TypeOllama, "qwen3:8b"),
		composer.AppendHistory(filepath.Join(state, "history"), attach.Typed("read @notes.md"), elsewhere))
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`"type":"branch"|"role":"summary"|Call John about`)
	found := map[string]bool{}
	for name, text := range h.files() {
		found[filepath.Base(name)] = true
		for _, kind := range kinds.FindAllString(text, -1) {
			found[kind] = true
		}
	}
	for _, kind := range []string{"config.toml", "sea.toml", "tokens.json", "tools.json", "models.json", "model",
		"history", `"type":"branch"`, `"role":"summary"`, "Call John about"} {
		if !found[kind] {
			t.Errorf("there is no %s", kind)
		}
	}
	if *keep == "" {
		return
	}
	names := strings.NewReplacer(h.work, elsewhere, vault.URL, vaultAddress, issuer.URL, "http://login.example")
	for name, text := range h.files() {
		if strings.HasSuffix(name, ".jsonl") {
			text += `{"type":"of a later version","time":"2026-01-02T03:04:05Z"}` + "\n"
		}
		text = names.Replace(text)
		if !strings.HasSuffix(name, ".lock") {
			(&home{t: t, dir: filepath.Join(releases, *keep)}).write(name, text)
		}
	}
}

// open returns a home with the files of a release.
func open(t *testing.T, release string) *home {
	h := newHome(t, "VAULT="+vaultAddress)
	work, _ := json.Marshal(h.work) // with the escapes of JSON
	kept := &home{t: t, dir: filepath.Join(releases, release)}
	for name, text := range kept.files() {
		h.write(name, strings.ReplaceAll(text, elsewhere, strings.Trim(string(work), `"`)))
		if id, _, _ := strings.Cut(path.Base(name), "."); path.Base(path.Dir(name)) == "sessions" {
			changed, err := time.Parse("20060102-150405", id[:len("20060102-150405")])
			if err = errors.Join(err, os.Chtimes(filepath.Join(h.dir, filepath.FromSlash(name)), changed, changed)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// sessions returns the identifiers of the saved conversations.
func (h *home) sessions() (ids []string) {
	for name := range h.files() {
		if id, ok := strings.CutSuffix(path.Base(name), ".jsonl"); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestReleaseFilesAreRead opens the files of every release, in a program that must not change them.
func TestReleaseFilesAreRead(t *testing.T) {
	each(t, func(t *testing.T, release string) {
		h := open(t, release)
		before := h.files()
		_, shown := h.run("config", "show")
		for _, key := range []string{"provider", "base_url", "theme", "allow", "url", "enabled"} {
			if !regexp.MustCompile(`(?m)^` + key + ` = .*# file`).MatchString(shown) {
				t.Errorf("%s is not read from the file:\n%s", key, shown)
			}
		}
		reading := [][]string{{"config", "check"}, {"mcp", "list"}, {"doctor"}, {"sessions", "list"},
			{"sessions", "search", "Tokyo"}, {"stats"}}
		for _, id := range h.sessions() {
			reading = append(reading, []string{"sessions", "show", id})
		}
		took := regexp.MustCompile(`, \d[\d.]*m?s,`) // to start a server
		var all strings.Builder
		for _, args := range reading {
			code, said := h.run(args...)
			fmt.Fprintf(&all, "> aloud %s\n%s[%d]\n\n", strings.Join(args, " "), took.ReplaceAllString(said, ", …,"), code)
		}
		for name, text := range before {
			if now := h.files()[name]; now != text {
				t.Errorf("%s became\n%s", name, now)
			}
		}
		got := strings.ReplaceAll(strings.ReplaceAll(all.String(), h.dir, "HOME"), `\`, "/")
		golden := filepath.Join(releases, release+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%v, it prints\n%s", err, got)
		}
	})
}

// TestReleaseConversationsGoOn adds a question to every conversation of every release, and logs out.
func TestReleaseConversationsGoOn(t *testing.T) {
	each(t, func(t *testing.T, release string) {
		h := open(t, release)
		before := h.files()
		for _, id := range h.sessions() {
			code, said := h.run("--resume", id, "-p", "what time is it in Rome?")
			if code != 0 || !strings.Contains(said, "Rome") {
				t.Errorf("%s: exit code %d\n%s", id, code, said)
			}
		}
		if code, said := h.run("mcp", "logout", "vault"); code != 0 || !strings.Contains(said, "Logged out of vault.") {
			t.Errorf("logging out: exit code %d\n%s", code, said)
		}
		after := h.files()
		for name, text := range before {
			switch now := after[name]; {
			case path.Base(name) == "tokens.json": // without the login
			case strings.HasSuffix(name, ".jsonl") && now != text && strings.HasPrefix(now, text):
			case now != text || strings.HasSuffix(name, ".jsonl"):
				t.Errorf("%s became\n%s", name, now)
			}
		}
	})
}

// TestNewerFilesAreRefused gives each file that is written a version, or a key, that aloud does not know yet.
func TestNewerFilesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, release string) {
		h := open(t, release)
		id := h.sessions()[0]
		for _, newer := range []struct {
			file, old, new string
			args           []string
			want           string
		}{
			{"sessions/" + id + ".jsonl", `"version":1`, `"version":9`, []string{"--resume", id, "-p", "hi"},
				"was written by a newer version of aloud (format 9, this one reads 2). Update aloud to open it"},
			{"tokens.json", `"version":1`, `"version":9`, []string{"mcp", "logout", "vault"},
				"the file was written by a newer version of aloud (format 9, this one reads 1). Update aloud to use it"},
			{"config.toml", "[approval]\n", "[approval]\nlater = true\n", []string{"mcp", "remove", "vault"}, "later"},
		} {
			for name, text := range h.files() {
				if !strings.HasSuffix(name, newer.file) {
					continue
				}
				if text = strings.Replace(text, newer.old, newer.new, 1); !strings.Contains(text, newer.new) {
					t.Fatalf("%s has no %s", name, newer.old)
				}
				h.write(name, text)
				if code, said := h.run(newer.args...); code == 0 || !strings.Contains(said, newer.want) {
					t.Errorf("%q: exit code %d\n%s", newer.args, code, said)
				}
				if now := h.files()[name]; now != text {
					t.Errorf("%s became\n%s", name, now)
				}
			}
		}
	})
}

// each runs a test for every release.
func each(t *testing.T, test func(t *testing.T, release string)) {
	t.Parallel()
	folders, err := filepath.Glob(releases + "/*/config")
	if err != nil || len(folders) == 0 {
		t.Fatal("there are no files", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) { test(t, filepath.Base(filepath.Dir(folder))) })
	}
}
