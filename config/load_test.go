package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/tabletest"
)

// environment returns a lookup function for the pairs, with a new home folder.
func environment(t testing.TB, pairs ...string) func(string) (string, bool) {
	t.Helper()
	vars := map[string]string{"HOME": t.TempDir(), "USERPROFILE": t.TempDir()}
	for _, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load reads a valid text.
func load(t *testing.T, text string, env ...string) *config.Config {
	t.Helper()
	c, err := config.Load(config.LoadOptions{Path: write(t, text), Env: environment(t, env...)})
	must(t, err)
	return c
}

// mistakes reads an invalid text and returns the mistakes as "12:3: text".
func mistakes(t *testing.T, text string, env ...string) []string {
	t.Helper()
	path := write(t, text)
	_, err := config.Load(config.LoadOptions{Path: path, Env: environment(t, env...)})
	if err == nil {
		t.Fatalf("this was accepted:\n%s", text)
	}
	var one *config.Error
	if !errors.As(err, &one) || one.File != path {
		t.Errorf("%#v names no file", err)
	}
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], path+":")
	}
	return lines
}

func server(t *testing.T, c *config.Config, name string) config.Server {
	t.Helper()
	i := slices.IndexFunc(c.Servers, func(s config.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no server %q", name)
	}
	return c.Servers[i]
}

func names(c *config.Config) (names []string) {
	for _, s := range c.Servers {
		names = append(names, s.Name)
	}
	return names
}

func TestLoadWithoutFile(t *testing.T) {
	c, err := config.Load(config.LoadOptions{Env: environment(t)})
	must(t, err)
	if c.Host != "http://127.0.0.1:11434" || c.Provider != "ollama" || c.Think != "auto" || c.Approval.Mode != "auto" {
		t.Errorf("defaults are %+v", c)
	}
	if got := names(c); !slices.Equal(got, []string{"clock", "files", "fetch"}) {
		t.Errorf("built in are %v", got)
	}
	for _, s := range c.Servers {
		if s.Builtin != s.Name || !s.Enabled || !s.Trusted || s.BuiltinWrite || s.AllowPrivate {
			t.Errorf("built in %+v", s)
		}
	}
	if c.Origin("model") != "default" {
		t.Errorf("the model comes from %q", c.Origin("model"))
	}
}

func TestLoadMissingFile(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere.toml")
	for name, o := range map[string]config.LoadOptions{
		"--config":     {Path: nowhere, Env: environment(t)},
		"ALOUD_CONFIG": {Env: environment(t, "ALOUD_CONFIG="+nowhere)},
	} {
		if _, err := config.Load(o); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nowhere.toml") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := config.Load(config.LoadOptions{Path: t.TempDir(), Env: environment(t)}); err == nil {
		t.Error("a folder is no file")
	}
}

func TestPrecedence(t *testing.T) {
	path := write(t, "model = \"file\"\nhost = \"file:1\"\nthink = \"on\"\n[limits]\niterations = 5\n")
	o := config.LoadOptions{Path: path, Env: environment(t, "ALOUD_MODEL=env", "OLLAMA_HOST=env:2")}
	check := func(model, modelFrom, host, hostFrom, thinkFrom string) {
		t.Helper()
		c, err := config.Load(o)
		must(t, err)
		got := []string{c.Model, c.Origin("model"), c.Host, c.Origin("host"), c.Origin("think")}
		if want := []string{model, modelFrom, host, hostFrom, thinkFrom}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("env", "environment ALOUD_MODEL", "http://env:2", "environment OLLAMA_HOST", "file config.toml:3")

	o.Flags = map[string]string{
		"model": "flag", "think": "off", "max-iterations": "6", "max-time": "1m30s", "demo": "true",
		"yes": "true", "no-tools": "true",
	}
	check("flag", "flag --model", "http://env:2", "environment OLLAMA_HOST", "flag --think")
	c, _ := config.Load(o)
	if c.Limits.Iterations != 6 || c.Limits.TotalTime != 90*time.Second {
		t.Errorf("limits are %+v", c.Limits)
	}
	if c.Provider != "demo" || c.Approval.Mode != "all" || len(c.Servers) != 0 {
		t.Errorf("--demo --yes --no-tools gave %+v", c)
	}

	o.Env, o.Flags = environment(t), nil
	check("file", "file config.toml:1", "http://file:1", "file config.toml:2", "file config.toml:3")
}

func TestMistakesInFlagsAndEnvironment(t *testing.T) {
	_, err := config.Load(config.LoadOptions{
		Env:   environment(t, "OLLAMA_HOST=ftp://box"),
		Flags: map[string]string{"max-iterations": "a few", "think": "maybe", "max-time": "48h0m0s"},
	})
	for _, want := range []string{
		`--max-iterations is "a few"; it must be a whole number or "auto"`,
		`--think is "maybe"; it must be "auto", "on", "off", "low", "medium" or "high"`,
		`--max-time is 48h; it must be 1s to 24h`,
		`OLLAMA_HOST is not an address. Use one like "http://127.0.0.1:8000"`,
	} {
		if err == nil || !slices.Contains(strings.Split(err.Error(), "\n"), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}

// invalid is a text with one mistake.
func TestMistakes(t *testing.T) {
	for _, row := range tabletest.Read(t, "mistakes.txt") {
		if got := mistakes(t, row[0], "S=secret"); len(got) != 1 || !strings.HasPrefix(got[0], row[1]) {
			t.Errorf("%q\n got %q\nwant %q", row[0], got, row[1])
		}
	}
}

func TestManyMistakes(t *testing.T) {
	got := mistakes(t, "modle = 1\nthink = 2\n[mcp_servers.x]\nurl = 'http://x'\ncommand = 3\n[limits]\niterations = 0\n")
	for i, want := range []string{"1:1: ", "2:1: ", "4:1: ", "5:1: ", "7:1: "} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("mistake %d of %q is not at %s", i, got, want)
		}
	}
}

func TestHost(t *testing.T) {
	for text, want := range map[string]string{
		"box":                 "http://box:11434",
		"box:1234":            "http://box:1234",
		":1234":               "http://127.0.0.1:1234",
		"0.0.0.0":             "http://127.0.0.1:11434",
		"0.0.0.0:8":           "http://127.0.0.1:8",
		"::1":                 "http://[::1]:11434",
		"[::]:9":              "http://127.0.0.1:9",
		"http://box":          "http://box",
		"https://[fe80::1]/x": "https://[fe80::1]/x",
		`"box" `:              "http://box:11434",
		"https://box:44/a/b/": "https://box:44/a/b",
	} {
		c, err := config.Load(config.LoadOptions{Env: environment(t, "OLLAMA_HOST="+text)})
		if err != nil || c.Host != want {
			t.Errorf("%q is %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"box:x", "http://", "ftp://box", "box:70000", "a b", "http://box?x=1", "\x1b",
		"https:/box", "HTTPS:8080"} {
		if c, err := config.Load(config.LoadOptions{Env: environment(t, "OLLAMA_HOST="+text)}); err == nil {
			t.Errorf("%q is %q", text, c.Host)
		}
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func TestHomeInPathOfFile(t *testing.T) {
	env := environment(t)
	home, _ := env("HOME")
	if runtime.GOOS == "windows" {
		home, _ = env("USERPROFILE")
	}
	path := filepath.Join(home, "my.toml")
	must(t, os.WriteFile(path, []byte("model = 'm'"), 0o600))
	withVariable := func(name string) (string, bool) {
		if name == "ALOUD_CONFIG" {
			return "~/my.toml", true
		}
		return env(name)
	}
	for name, o := range map[string]config.LoadOptions{
		"--config": {Path: "~/my.toml", Env: env}, "ALOUD_CONFIG": {Env: withVariable},
	} {
		if c, err := config.Load(o); err != nil || c.Model != "m" || c.Path != path {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
