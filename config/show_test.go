package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

var update = flag.Bool("update", false, "write testdata/every.txt")

// TestShowEveryKey loads testdata/every.toml and compares the result with testdata/every.txt.
func TestShowEveryKey(t *testing.T) {
	env := []string{
		"BOX=box", "GPU=gpu.example", "GPU_KEY=sk-gpu-12345", "GATE=gate-12345", "TOP_KEY=sk-top-12345", "PLACE=/srv",
		"TOKEN=s3cr3t-token", "KEY=key-12345", "OTHER=other-12345", "ID=ours", "TEAM_SECRET=s3cret-of-team",
		"LOGIN=https://login.example", "HOME=/home/ada", "USERPROFILE=C:/ada",
	}
	c, err := config.Load(config.LoadOptions{
		Path: filepath.Join("testdata", "every.toml"), Env: environment(t, append(env, "OLLAMA_HOST=other")...),
		Flags: map[string]string{"think": "on"},
	})
	must(t, err)
	shown := config.Show(c)
	golden := filepath.Join("testdata", "every.txt")
	if *update {
		must(t, os.WriteFile(golden, []byte(shown), 0o600))
	}
	if want := content(t, golden); runtime.GOOS != "windows" && shown != want {
		t.Errorf("it shows\n%s", shown)
	}
	for _, secret := range []string{"12345", "s3cr3t", "s3cret", "hunter22", "the-team", "\x1b", "\u202e"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	// The output is a valid file with the same meaning, except for masked values.
	plain := func(shown string) string {
		shown = regexp.MustCompile(` *# .*`).ReplaceAllString(shown, "")
		return strings.NewReplacer("me:•••@", "", "•••", "x").Replace(shown)
	}
	if a, b := plain(shown), plain(config.Show(load(t, plain(shown), env...))); a != b {
		t.Errorf("%s\nis read as\n%s", a, b)
	}
}

// TestTemplate reads the template as it is, and with every example in it.
func TestTemplate(t *testing.T) {
	if got, want := config.Show(load(t, config.Template)), config.Show(load(t, "")); got != want {
		t.Errorf("the template is read as\n%s", got)
	}
	examples := regexp.MustCompile(`(?m)^#(\[|[a-z_]+ = )`).ReplaceAllString(config.Template, "$1")
	c := load(t, examples, "DOCS_KEY=docs-key", "DOCS_TOKEN=docs-token", "GITHUB_TOKEN=x", "TEAM_SECRET=team-secret")
	if server(t, c, "docs").Headers["X-Api-Key"] != "docs-key" || len(c.Servers) != 8 || len(c.Providers) != 2 {
		t.Errorf("the examples are read as\n%s", config.Show(c))
	}
}

func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aloud", "config.toml")
	if err := config.Init(path); err != nil || content(t, path) != config.Template {
		t.Fatal(err)
	}
	must(t, os.WriteFile(path, []byte("model = 'mine'\n"), 0o600))
	if err := config.Init(path); err == nil || content(t, path) != "model = 'mine'\n" {
		t.Errorf("%v, now %q", err, content(t, path))
	}
}

func TestFolders(t *testing.T) {
	elsewhere := t.TempDir()
	env := environment(t, "XDG_CONFIG_HOME="+elsewhere, "XDG_STATE_HOME="+elsewhere)
	if got, err := config.Path("", env); err != nil || got != filepath.Join(elsewhere, "aloud", "config.toml") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.StateDir(env); err != nil || got != filepath.Join(elsewhere, "aloud") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.Path("", environment(t, "ALOUD_CONFIG=mine.toml")); err != nil || got != "mine.toml" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.StateDir(func(string) (string, bool) { return "relative", true }); err == nil {
		t.Errorf("a relative home is taken for %q", got)
	}
	none := func(string) (string, bool) { return "", false }
	if _, err := config.StateDir(none); err == nil {
		t.Error("a state folder was found without a home")
	}
	if _, err := config.Load(config.LoadOptions{Env: none}); err != nil {
		t.Errorf("without a home: %v", err)
	}
}

func TestRememberModel(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if got := config.LastModel(state, "ollama"); got != "" {
		t.Errorf("the last model is %q", got)
	}
	for _, model := range []string{"qwen3:8b", "llama3.2"} {
		must(t, config.RememberModel(state, "ollama", model))
		if got := config.LastModel(state, "ollama"); got != model {
			t.Errorf("the last model is %q, want %q", got, model)
		}
		if got := config.LastModel(state, "../gpu box"); got != "" {
			t.Errorf("another provider remembers %q", got)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(config.Template))
	f.Add([]byte("\ufeff[mcp_servers.x]\ncommand = '${A:-b}'\nenv = { A = '${' }\n"))
	f.Add([]byte("[[mcp_servers]]\na.b.c.d.e.f.g = [[[{ a = 1 }]]]\n[limits]\ntotal_time = nan\n"))
	f.Add([]byte("model = \"\x80\"\nhost = '[::'"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Load(config.LoadOptions{Path: write(t, string(text)), Env: environment(t)})
		if err != nil {
			return
		}
		if shown := config.Show(c); strings.ContainsAny(shown, "\x1b\u009b\u202e") {
			t.Errorf("%q is shown as %q", text, shown)
		}
	})
}
