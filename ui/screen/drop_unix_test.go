//go:build unix

package screen

import (
	"strings"
	"testing"
)

func TestDroppedImages(t *testing.T) {
	for text, want := range map[string]string{
		"/a/b.png":                       "/a/b.png",
		" '/a/b c.PNG'\r/d.jpg\n":        "/a/b c.PNG, /d.jpg",
		`/a/b\ \(1\).webp "/it's.gif"`:   "/a/b (1).webp, /it's.gif",
		"file:///a/b%20c.jpeg":           "/a/b c.jpeg",
		"file://host/a/b.png":            "",
		"file:":                          "",
		"//host/share/b.png":             "",
		"/a/b.png is it":                 "",
		"see /a/b.png":                   "",
		"b.png":                          "",
		"https://a.example/b.png":        "",
		"/a/b.txt":                       "",
		"'/a/b.png":                      "",
		"":                               "",
		"/a/b.png; rm -r /":              "",
		"func x() { return '/a.png' }\n": "",
	} {
		if got := strings.Join(DroppedImages(text), ", "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
