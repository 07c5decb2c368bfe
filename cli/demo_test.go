package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
)

func TestDemoStoresNoRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(`provider = "demo"`), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.LoadOptions{Path: path, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	tool := mcpclient.Tool{Name: "shop__edit_file", Server: "shop", ServerTool: "edit_file"}
	err = newChat(cfg, nil, nil).Policy.Allow(tool, []byte(`{}`), true)
	if err == nil || !strings.Contains(err.Error(), "the demo changes no configuration") {
		t.Errorf("a rule for always returned %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `provider = "demo"` {
		t.Errorf("the configuration is %q, %v", text, err)
	}
}
