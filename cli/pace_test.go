package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config"
)

// Model speeds are stored by server address, which may contain a password.
func TestPaceOf(t *testing.T) {
	for name, tt := range map[string]struct{ config, server string }{
		"Ollama":               {`host = "http://127.0.0.1:11434"`, `"http://127.0.0.1:11434"`},
		"Ollama, with a token": {`host = "https://secrettoken@models.example.com"`, `@models.example.com"`},
		"another server": {"provider = \"rig\"\n[providers.rig]\ntype = \"openai\"\n" +
			"base_url = \"https://me:secrettoken@models.example.com/v1\"",
			`models.example.com/v1"`},
		"the demo": {`provider = "demo"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config.toml")
			if err := os.WriteFile(path, []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(config.LoadOptions{Path: path, Env: func(string) (string, bool) { return "", false }})
			if err != nil {
				t.Fatal(err)
			}
			model, err := newModel(cfg)
			if err != nil {
				t.Fatal(err)
			}
			state, read := filepath.Join(dir, "state"), filepath.Join(dir, "read")
			for stateDir, save := range map[string]bool{"": true, read: false, state: true} {
				book := paceOf(cfg, model, stateDir, save)
				book.NoteLoad("m", 9*time.Second)
				if err := book.Save(); err != nil {
					t.Fatal(err)
				}
				if known := book.Load("m") == 9*time.Second; known != (tt.server != "") {
					t.Errorf("with the state folder %q it knows %v", stateDir, book.Load("m"))
				}
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*", "*")) // the pattern is well formed
			if tt.server == "" {
				if len(files) > 0 {
					t.Errorf("it left %q", files)
				}
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, "state", "models.json"))
			if err != nil || !strings.Contains(string(text), tt.server) || strings.Contains(string(text), "secrettoken") ||
				len(files) != 1 {
				t.Errorf("of %q there is this, %v:\n%s", files, err, text)
			}
		})
	}
}
