package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestShowTellsWhereValuesComeFrom(t *testing.T) {
	c, err := config.Load(config.LoadOptions{
		Path:  write(t, "[limits]\ntotal_time = '5m'\n[approval]\nallow = ['a.b']\n[mcp_servers.x]\ncommand = 'run'\nenv = { A = 'b' }\n"),
		Env:   environment(t, "OLLAMA_HOST=box"),
		Flags: map[string]string{"model": "qwen3:8b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(` {2,}#`).ReplaceAllString(config.Show(c), " #")
	for _, want := range []string{
		"model = \"qwen3:8b\" # flag --model\nhost = \"http://box:11434\" # environment OLLAMA_HOST\nprovider = \"ollama\" # default\n",
		"\n[limits]\niterations = 10 # default\n",
		"\ntotal_time = \"5m\" # file config.toml:2\n",
		"\nmotion = \"full\" # default\ntitle = true # default\ntaskbar = true # default\nnotify = true # default\n",
		"\nallow = [\"a.b\"] # file config.toml:4\n",
		"\n[mcp_servers.clock]\nbuiltin = \"clock\" # default\nenabled = true # default\n",
		"\n[mcp_servers.x]\n",
		"\ncommand = \"run\" # file config.toml:6\n",
		"\nenv = { A = \"•••\" } # file config.toml:7\n",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s\nlacks %s", shown, want)
		}
	}
}

// What is shown is a file again, with the same meaning but for what was masked.
func TestWhatIsShownCanBeRead(t *testing.T) {
	shown := config.Show(load(t, `
system = "a \"quote\", a tab\t, an escape \u001b[2J and \u202e"
system_prompt = "none"
context = 4096
provider = "gpu"
[limits]
iterations = "auto"
total_time = "1h30m"
thinking_tokens = 512
[status]
motion = "none"
notify = false
[providers.gpu]
base_url = "https://gpu.example/v1"
http_headers = { X-Team = "the-team" }
ca_file = "/certs/gpu.pem"
model = "m"
[providers.box]
type = "ollama"
host = "box"
context = "auto"
[mcp_servers.fetch]
allow_private = true
[mcp_servers.docs]
url = "https://example.com/"
ca_file = "/certs/docs.pem"
enabled_tools = ["a"]
[mcp_servers.run]
command = "x"
args = ["a\\b"]
`))
	if strings.ContainsAny(shown, "\x1b\u202e") {
		t.Errorf("%q would change how a terminal shows it", shown)
	}
	again := config.Show(load(t, shown))
	origin := regexp.MustCompile(` *# .*`)
	if a, b := origin.ReplaceAllString(shown, ""), origin.ReplaceAllString(again, ""); a != b {
		t.Errorf("%s\nis read as\n%s", a, b)
	}
}

func TestTheTemplateIsTheDefaultsAndEveryExampleInItIsRight(t *testing.T) {
	if got, want := config.Show(load(t, config.Template)), config.Show(load(t, "")); got != want {
		t.Errorf("the template is read as\n%s", got)
	}
	examples := regexp.MustCompile(`(?m)^# (\[|[a-z_]+ = )`).ReplaceAllString(config.Template, "$1")
	c := load(t, examples, "DOCS_KEY=docs-key", "DOCS_TOKEN=docs-token", "GITHUB_TOKEN=x", "TEAM_SECRET=team-secret")
	if server(t, c, "docs").Headers["X-Api-Key"] != "docs-key" || len(c.Servers) != 6 || len(c.Providers) != 2 || c.Providers[0].Context != 32768 {
		t.Errorf("the examples are read as\n%s", config.Show(c))
	}
}

func TestInitNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aloud", "config.toml")
	if err := config.Init(path); err != nil || content(t, path) != config.Template {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("model = 'mine'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Init(path); err == nil || !strings.Contains(err.Error(), "exists already") || content(t, path) != "model = 'mine'\n" {
		t.Errorf("%v, now %q", err, content(t, path))
	}
}

func TestFoldersFollowTheEnvironment(t *testing.T) {
	elsewhere := t.TempDir()
	env := environment(t, "XDG_CONFIG_HOME="+elsewhere, "XDG_STATE_HOME="+elsewhere)
	if got, err := config.Path(env); err != nil || got != filepath.Join(elsewhere, "aloud", "config.toml") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.StateDir(env); err != nil || got != filepath.Join(elsewhere, "aloud") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.Path(environment(t, "ALOUD_CONFIG=mine.toml")); err != nil || got != "mine.toml" {
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

func TestTheLastModelIsRemembered(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if got := config.LastModel(state, "ollama"); got != "" {
		t.Errorf("the last model is %q", got)
	}
	for _, model := range []string{"qwen3:8b", "llama3.2"} {
		if err := config.RememberModel(state, "ollama", model); err != nil {
			t.Fatal(err)
		}
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
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
		if err != nil {
			return
		}
		if shown := config.Show(c); strings.ContainsAny(shown, "\x1b\u009b\u202e") {
			t.Errorf("%q is shown as %q", text, shown)
		}
	})
}
