package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSetServerKeepsTheRestOfTheFile(t *testing.T) {
	for name, test := range map[string]struct{ before, provider, address, after string }{
		"no file": {"", "openai", "http://127.0.0.1:1234/v1",
			"provider = \"openai\"\nbase_url = \"http://127.0.0.1:1234/v1\"\n"},
		"comments": {
			"# mine\nprovider = \"openai\" # for now\nbase_url = \"http://a/v1\"\n\n[limits]\niterations = 3\n",
			"ollama", "http://10.0.0.7:11434",
			"host = \"http://10.0.0.7:11434\"\n# mine\nprovider = \"ollama\" # for now\nbase_url = \"http://a/v1\"\n\n" +
				"[limits]\niterations = 3\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config.toml")
			if test.before != "" {
				if err := os.WriteFile(path, []byte(test.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := func(name string) (string, bool) {
				if name == "HOME" {
					return dir, true
				}
				return "", false
			}
			if err := SetServer(path, env, test.provider, test.address); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(path); string(got) != test.after {
				t.Errorf("the file is\n%s, not\n%s", got, test.after)
			}
		})
	}
}
