package importing_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestWhatIsTakenFromEveryProgramLoads takes over the files of all programs at once, and reads the configuration that comes of it.
func TestWhatIsTakenFromEveryProgramLoads(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "mcpclient", "others", "testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.Files {
		save(t, filepath.Join(dir, filepath.FromSlash(file.Name)), string(file.Data))
	}
	path := save(t, filepath.Join(dir, "config.toml"), "")
	cfg, err := config.Load(config.LoadOptions{Path: path, Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	place := others.Place{GOOS: "linux", Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"), Env: nothing}
	p := importing.Make(others.Find(place), importing.Options{Config: cfg, Place: place})
	var out bytes.Buffer
	p.Show(&out)
	planned, err := p.Write()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err = config.Load(config.LoadOptions{Path: path, Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	if written, want := len(cfg.Servers)-3, planned; written != want || want != 29 { // and the three that are built in
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
	for _, line := range []string{"  export BRAVE_API_KEY=…  # brave-search", "  export GITHUB_AUTHORIZATION=…  # github-2", "  socket is left out: its type \"ws\" is not known here"} {
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
	f.Fuzz(func(t *testing.T, ext, text string) {
		if ext != ".json" && ext != ".yml" && ext != ".toml" || len(text) > 20_000 {
			return
		}
		file, path := save(t, filepath.Join(dir, "servers"+ext), text), save(t, filepath.Join(dir, "config.toml"), "")
		cfg, err := config.Load(config.LoadOptions{Path: path, Env: nothing})
		if err != nil {
			t.Fatal(err)
		}
		place := others.Place{GOOS: "linux", Env: nothing}
		p := importing.Make([]others.Source{others.Read(place, file)}, importing.Options{Config: cfg, Place: place})
		var out bytes.Buffer
		p.Show(&out)
		if strings.ContainsAny(out.String(), "\x1b\x07\u202e") {
			t.Errorf("%q is shown as %q", text, out.String())
		}
		if _, err := p.Write(); err != nil {
			t.Errorf("what was taken from %q cannot be written: %v", text, err)
		}
	})
}

func nothing(string) (string, bool) { return "", false }

// save makes a file and returns its path.
func save(t testing.TB, path, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}
