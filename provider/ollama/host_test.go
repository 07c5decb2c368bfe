package ollama

import (
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	for host, want := range map[string]string{
		"":                            "http://127.0.0.1:11434",
		"  ":                          "http://127.0.0.1:11434",
		"box":                         "http://box:11434",
		"box:99":                      "http://box:99",
		":99":                         "http://127.0.0.1:99",
		"127.0.0.1":                   "http://127.0.0.1:11434",
		"0.0.0.0":                     "http://127.0.0.1:11434",
		"0.0.0.0:99":                  "http://127.0.0.1:99",
		"[::]:99":                     "http://[::1]:99",
		"::1":                         "http://[::1]:11434",
		"[::1]:77":                    "http://[::1]:77",
		`"box:99"`:                    "http://box:99",
		"http://box":                  "http://box:80",
		"https://box":                 "https://box:443",
		"https://box:99/base/":        "https://box:99/base",
		"https://me:secret@box:99":    "https://me:xxxxx@box:99",
		"http://127.0.0.1:11434/":     "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/a/b/": "http://127.0.0.1:11434/a/b",
	} {
		c, err := New(host)
		if err != nil {
			t.Errorf("New(%q): %v", host, err)
			continue
		}
		if got := c.Address(); got != want {
			t.Errorf("New(%q) is for %q, want %q", host, got, want)
		}
	}
}

func TestInvalidHosts(t *testing.T) {
	for _, host := range []string{
		"ftp://box", "box:abc", "box:0", "box:70000", "http://box?x=1", "http://box#x", "two words", "http://[::1", "\x00",
		"https:/box", "HTTP:8080", `http:\\box`,
	} {
		if c, err := New(host); err == nil {
			t.Errorf("New(%q) is for %q, want an error", host, c.Address())
		}
	}
}

func TestInvalidHostHidesPassword(t *testing.T) {
	for _, host := range []string{
		"http://user:hunter2@h:port", "ftp://user:hunter2@h", "user:hunter2@h:99999", "http://user:hunter2%zz@h",
		"http://hunter2@h/?q", "http://a:hunter2@b:hunter2@h:x",
	} {
		_, err := New(host)
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "%zz") ||
			!strings.Contains(err.Error(), "xxxxx@h") {
			t.Errorf("%q gives %v", host, err)
		}
	}
}
