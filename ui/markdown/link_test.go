package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestHiddenAddressShowsAnotherHost(t *testing.T) {
	for text, want := range map[string]string{
		"[here](https://example.org/a/b)":                      "here (example.org)",
		"[Example.org](https://example.org/a)":                 "Example.org",
		"[https://example.org/x](https://example.org/a)":       "https://example.org/x",
		"[https://a.com/login](https://a.co/login)":            "https://a.com/login (a.co)",
		"[example.org](https://example.org@evil.com/)":         "example.org (evil.com)",
		"[example.org.evil.com](https://example.org/)":         "example.org.evil.com (example.org)",
		"[example.org@evil.com](https://evil.com/)":            "example.org@evil.com (evil.com)",
		"[see example.org](http://localhost:8080/)":            "see example.org (localhost:8080)",
		"[a](https://example.org \"b\")":                       "a (example.org \"b\")",
		"[a](b/c) [d](mailto:e@f.g)":                           "a (b/c) d (mailto:e@f.g)",
		"[](https://example.org/a)":                            "(https://example.org/a)",
		"![cat](https://x.y/c.png)":                            "image: cat (x.y)",
		"https://a.b/c <https://d.e/f>":                        "https://a.b/c https://d.e/f",
		"[a](https://[::1]:80/x) [b](https://%zz/) [c](http:)": "a ([::1]:80) b (https://%zz/) c (http:)",
	} {
		rows := renderRows(text, 90, ansi.WcWidth, Style{HideAddresses: true})
		if got := strings.TrimSpace(ansi.Strip(strings.Join(rows, "\n"))); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

func TestHiddenAddressIsLinked(t *testing.T) {
	row := renderRows("[here](https://example.org/a)", 90, ansi.WcWidth, Style{HideAddresses: true})[0]
	if strings.Count(row, "\x1b]8;;https://example.org/a\x1b") != 2 {
		t.Errorf("the row is %q, want the words and the host as links", row)
	}
}
