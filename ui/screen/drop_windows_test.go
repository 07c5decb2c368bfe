package screen

import (
	"strings"
	"testing"
)

func TestDroppedImages(t *testing.T) {
	for text, want := range map[string]string{
		`C:\a\b.png`:                  `C:\a\b.png`,
		`"C:\a b\c (1).PNG" D:\d.jpg`: `C:\a b\c (1).PNG, D:\d.jpg`,
		"file:///C:/a/b%20c.jpeg":     `C:\a\b c.jpeg`,
		`\\host\share\b.png`:          "",
		"//host/share/b.png":          "",
		`see C:\a\b.png`:              "",
		`a\b.png`:                     "",
		`C:\a\b.txt`:                  "",
		"":                            "",
	} {
		if got := strings.Join(DroppedImages(text), ", "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
