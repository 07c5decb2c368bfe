package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestWhatIsTakenFromEveryProgramLoads takes over the files of all programs at once, and reads the configuration that comes of it.
func TestWhatIsTakenFromEveryProgramLoads(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("mcpclient", "others", "testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(string) (string, bool) { return "", false }
	path := filepath.Join(dir, "config.toml")
	var out bytes.Buffer
	cfg, err := config.Load(config.LoadOptions{Path: saved(t, path), Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	i := &importing{out: &out, cfg: cfg, mover: newMover()}
	for _, s := range others.Find(others.Place{GOOS: "linux", Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"), Env: nothing}) {
		i.take(t.Context(), s)
	}
	i.tell()
	if err := config.AddServers(path, nothing, i.entries...); err != nil {
		t.Fatal(err)
	}
	cfg, err = config.Load(config.LoadOptions{Path: path, Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	if written, want := len(cfg.Servers)-3, len(i.entries); written != want || want != 29 { // and the three that are built in
		t.Errorf("%d servers of %d are in the file", written, want)
	}
	for _, s := range cfg.Servers {
		if s.Trusted && s.Builtin == "" {
			t.Errorf("%s is trusted", s.Name)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"BSAabcdef", "pass-word", "hf_abcdef", "very-secret"} {
		if strings.Contains(string(text), secret) || strings.Contains(out.String(), secret) {
			t.Errorf("%s… is in the open:\n%s", secret, text)
		}
	}
	for _, line := range []string{"  " + exportLine("BRAVE_API_KEY", "…") + "  # brave-search", "  " + exportLine("GITHUB_AUTHORIZATION", "…") + "  # github-2", "  socket is left out: its type \"ws\" is not known here"} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("%q is not said:\n%s", line, out.String())
		}
	}
}

// FuzzImport holds that what is taken from any file can be written, and loads.
func FuzzImport(f *testing.F) {
	f.Add(".json", `{"mcpServers":{"a":{"command":" ","args":["$${X}","--token=ghp_abcdefABCDEF0123456789"]},"b":{"url":"http://"},"c":{"command":"x"}}}`)
	f.Add(".json", `{"mcpServers":{"a":{"url":"https://u:pa$$word@x/?key=abcdef123","headers":{"Authorization":"Bearer abcdefgh","":"x","A\n":"b"}}}}`)
	f.Add(".json", `{"mcpServers":{"\u001b[2J":{"command":"\u0000","env":{"A B":"\ud800","":"x"},"oauth":{"clientId":"a","scopes":"a b\\"}}}}`)
	f.Add(".yml", "mcpServers: {a: {command: [x, '${A:-${B}}'], environment: {KEY: '${env://K}'}}}")
	f.Add(".toml", "[mcp_servers.a]\nurl='https://x'\nbearer_token_env_var='A'\noauth={client_id='x'}\nstartup_timeout_sec=1e300\n")
	dir := f.TempDir()
	nothing := func(string) (string, bool) { return "", false }
	f.Fuzz(func(t *testing.T, ext, text string) {
		if ext != ".json" && ext != ".yml" && ext != ".toml" || len(text) > 20_000 {
			return
		}
		file, path := filepath.Join(dir, "servers"+ext), filepath.Join(dir, "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.LoadOptions{Path: saved(t, path), Env: nothing})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		i := &importing{out: &out, cfg: cfg, mover: newMover()}
		i.take(t.Context(), others.Read(others.Place{GOOS: "linux", Env: nothing}, file))
		i.tell()
		if strings.ContainsAny(out.String(), "\x1b\x07\u202e") {
			t.Errorf("%q is shown as %q", text, out.String())
		}
		if err := config.AddServers(path, nothing, i.entries...); err != nil {
			t.Errorf("what was taken from %q cannot be written: %v", text, err)
		}
	})
}

// loaded is a configuration without a file.
func loaded(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Load(config.LoadOptions{Path: saved(t, filepath.Join(t.TempDir(), "config.toml")), Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// saved makes an empty file.
func saved(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
