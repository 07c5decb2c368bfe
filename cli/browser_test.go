package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestWhatOpensAPage(t *testing.T) {
	const page = "https://example.org/a?b=c d"
	for _, c := range []struct {
		system string
		env    map[string]string
		want   []string
	}{
		{"linux", map[string]string{"DISPLAY": ":0"}, []string{"xdg-open", page}},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, []string{"xdg-open", page}},
		{"linux", nil, nil},
		{"darwin", nil, []string{"open", page}},
		{"windows", nil, []string{"rundll32", "url.dll,FileProtocolHandler", page}},
		{"linux", map[string]string{"BROWSER": "curl -sL"}, []string{"curl", "-sL", page}},
		{"linux", map[string]string{"BROWSER": "firefox --new-window=%s -x:chromium"}, []string{"firefox", "--new-window=" + page, "-x"}},
	} {
		got, err := browserCommand(c.system, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }, page)
		if !slices.Equal(got, c.want) || (c.want == nil) != errors.Is(err, errNoBrowser) {
			t.Errorf("on %s with %v: %q, %v, want %q", c.system, c.env, got, err, c.want)
		}
	}
}

func TestOnlyPagesOfTheWebAreOpened(t *testing.T) {
	t.Setenv("BROWSER", "true")
	for _, address := range []string{"", "file:///etc/passwd", "javascript:alert(1)", "--version", "https://", "http:///x", "https://a\x1b[2J/"} {
		if err := openPage(address); err == nil {
			t.Errorf("%q was opened", address)
		}
	}
}

func TestTheBrowserGetsTheAddressAsOneWord(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("BROWSER", "cmd /c exit 3 %s")
		if err := openPage("https://example.org/"); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("a browser that fails: %v", err)
		}
		return
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "browser.sh")
	got := filepath.Join(dir, "got")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$#\" \"$1\" >"+got+"\nexit $(($# - 1))\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", script)
	if err := openPage("https://example.org/$(touch%20x);'?a=b&c"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(got); string(text) != "1 https://example.org/$%28touch%20x%29;%27?a=b&c\n" && string(text) != "1 https://example.org/$(touch%20x);'?a=b&c\n" {
		t.Errorf("the browser was started with %q", text)
	}
	t.Setenv("BROWSER", script+" more")
	if err := openPage("https://example.org/"); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("a browser that fails: %v", err)
	}
	t.Setenv("BROWSER", filepath.Join(dir, "nothing"))
	if err := openPage("https://example.org/"); !errors.Is(err, errNoBrowser) {
		t.Errorf("a browser that is not there: %v", err)
	}
}
