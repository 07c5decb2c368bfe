package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// secrets are names of files that hold secrets. harmless are similar names.
var (
	secrets = []string{
		".env", "sub/../.env", "./.env", ".ENV", ".env.local", "prod.env", ".ssh/config", "sub/.aws/anything", ".gnupg/x",
		"id_rsa", "ID_ED25519", "server.pem", ".netrc", ".npmrc", "credentials", "sub/credentials.json", ".bash_history",
		".git-credentials", "own/config.toml", "own/sessions/a.jsonl", ".docker/config.json",
	}
	harmless = []string{"env", ".env.example", "credentials.go", "id_rsa.pub", "keys.md", "monkey", "owner/notes"}
)

// serveSecrets serves a folder with both.
func serveSecrets(t *testing.T, asks bool) (s *builtin.Server, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range append(secrets, harmless...) {
		write(t, dir, filepath.Clean(name), "token")
	}
	own := []string{filepath.Join(dir, "own")}
	return open(t, "files", builtin.Options{Dir: dir, Write: true, Asks: asks, Own: own}), dir
}

func TestSecretsRefusedWithoutAsking(t *testing.T) {
	s, dir := serveSecrets(t, false)
	c := connect(t, s)
	for _, name := range append(secrets, filepath.Join(dir, ".env")) {
		fails(t, c, "read_file", args{"path": name}, "usually holds secrets, and the user cannot be asked here")
		fails(t, c, "edit_file", args{"path": name, "old_text": "x", "new_text": "y"}, "usually holds secrets")
		fails(t, c, "write_file", args{"path": name, "content": "y"}, "usually holds secrets")
	}
	for _, name := range harmless {
		succeeds(t, c, "read_file", args{"path": name}, "token")
	}
}

func TestCaution(t *testing.T) {
	s, dir := serveSecrets(t, true)
	c := connect(t, s)
	caution := func(tool, path string) string {
		arguments, err := json.Marshal(args{"path": path, "old_text": "x", "new_text": "y", "content": "z"})
		must(t, err)
		return s.Caution(tool, arguments)
	}
	for _, name := range append(secrets, filepath.Join(dir, ".env"), "new/.env") {
		for _, tool := range []string{"read_file", "edit_file", "write_file"} {
			if got := caution(tool, name); !strings.HasSuffix(got, " usually holds secrets") {
				t.Errorf("%s of %q: %q", tool, name, got)
			}
		}
	}
	if got := s.Caution("write_file", json.RawMessage(`{"path": "env", "PATH": ".env"}`)); got != "" { // "path" counts
		t.Errorf("two paths: %q", got)
	}
	fails(t, c, "read_file", args{"PATH": ".env"}, `the argument "path" is missing`) // so it needs no caution
	for _, name := range harmless {
		if got := caution("read_file", name); got != "" {
			t.Errorf("%q: %q", name, got)
		}
	}
	if runtime.GOOS != "windows" { // links need privileges there
		for link, target := range map[string]string{"notes.txt": ".env", "folder": ".ssh", "far": filepath.Join(dir, "own")} {
			must(t, os.Symlink(target, filepath.Join(dir, link)))
		}
		for _, name := range []string{"notes.txt", "folder/config", "far/config.toml"} {
			if got := caution("read_file", name); got == "" {
				t.Errorf("no caution for the link %q", name)
			}
		}
	}
	succeeds(t, c, "read_file", args{"path": ".env"}, "token")
}

func TestSearchSkipsSecrets(t *testing.T) {
	s, _ := serveSecrets(t, true)
	c := connect(t, s)
	got := succeeds(t, c, "search_files", args{"text": "token"}, "")
	for _, name := range secrets {
		if name = filepath.ToSlash(filepath.Clean(name)); strings.Contains(got, name+":1") {
			t.Errorf("%q is found: %q", name, got)
		}
	}
	for _, name := range harmless {
		if !strings.Contains(got, name+":1: token") {
			t.Errorf("%q is not found: %q", name, got)
		}
	}
	succeeds(t, c, "search_files", args{"text": "token", "path": ".ssh"}, "[Nothing found. ")
	succeeds(t, c, "search_files", args{"glob": "*.pem"}, "files that usually hold secrets were skipped")
}
