package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

// withTheme writes the theme mine.toml and a configuration with it.
func withTheme(t *testing.T, text string) (path string) {
	t.Helper()
	path = write(t, "[ui]\ntheme = 'mine'")
	must(t, os.Mkdir(filepath.Join(filepath.Dir(path), "themes"), 0o700))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(path), "themes", "mine.toml"), []byte(text), 0o600))
	return path
}

func TestThemeHasColoursOfItsBase(t *testing.T) {
	path := withTheme(t, "base = 'light'\naccent = '#123456'\ndim = ''\n[background]\ncode = '15'")
	c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
	must(t, err)
	got := c.Theme
	if got.Name != "mine" || got.Accent != "#123456" || got.Dim != "" || got.Background.Code != "15" {
		t.Errorf("it is %+v", got)
	}
	if got.User != "#1f4fa3" || got.Background.Added != "#dff3e3" {
		t.Errorf("without the colours of the base: %+v", got)
	}
}

func TestThemeMistakesHavePosition(t *testing.T) {
	for text, want := range map[string]string{
		"acent = '1'":                    `:1:1: unknown key "acent" at the top level; did you mean "accent"?`,
		"\nok = 'green'":                 `:2:1: "ok" is "green"; it must be a colour like "#7fd1d8"`,
		"ok = 2":                         `:1:1: "ok" must be a string, not a whole number`,
		"base = 'drak'":                  `:1:1: "base" is "drak"; did you mean "dark"?`,
		"base = 'mine'":                  `:1:1: "base" is "mine"; it must be "dark", "light"`,
		"[background]\n\ncod = '1'":      `:3:1: unknown key "cod" in [background]; did you mean "code"?`,
		"model = 'x'":                    `:1:1: unknown key "model" at the top level`,
		"background = '#000000'":         `:1:1: "background" must be a table, not a string`,
		"ok = '\x1b[31m'":                `:1:7: invalid TOML`,
		"name = 'x'":                     `:1:1: unknown key "name" at the top level`,
		strings.Repeat("# x\n", 300_000): ": the file has 1200000 bytes. It must not be larger than 1 MiB",
	} {
		path := withTheme(t, text)
		_, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
		if want = filepath.Join("themes", "mine.toml") + want; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestThemesListsThoseWithoutMistakes(t *testing.T) {
	path := withTheme(t, "accent = '5'")
	dir := filepath.Join(filepath.Dir(path), "themes")
	must(t, os.WriteFile(filepath.Join(dir, "bad.toml"), []byte("x = 1"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "dark.toml"), []byte("accent = '5'"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "folder.toml"), 0o700))
	c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
	must(t, err)
	all, err := c.Themes()
	var names []string
	for _, theme := range all {
		names = append(names, theme.Name)
	}
	want := "dark light high-contrast colour-blind-dark colour-blind-light terminal mine"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the themes are %s, want %s", got, want)
	}
	if err == nil || !strings.Contains(err.Error(), `bad.toml:1:1: unknown key "x"`) ||
		!strings.Contains(err.Error(), "folder.toml\": it is not a regular file") {
		t.Errorf("the error is %v", err)
	}
}
