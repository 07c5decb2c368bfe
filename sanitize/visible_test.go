package sanitize_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/sanitize"
)

func TestVisible(t *testing.T) {
	for given, want := range map[string]string{
		"":                        "",
		"plain 日本 é":              "plain 日本 é",
		"\tif x {":                "    if x {",
		"a\x1b[2Jb\x9b":           `a\x1b[2Jb\x9b`,
		"admin\u202e txt.exe":     `admin\u202e txt.exe`,
		"tag \U000e0041":          `tag \U000e0041`,
		"over\rwritten":           `over\rwritten`,
		"two\nlines":              `two\nlines`,
		"c1 \u009b and \x7f done": `c1 \u009b and \x7f done`,
	} {
		if got := sanitize.Visible(given); got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b]8;;x\x07\tb\r\n")
	f.Fuzz(func(t *testing.T, line string) {
		got := sanitize.Visible(line)
		if sanitize.Text(got) != got || strings.ContainsAny(got, "\n\t\r") {
			t.Errorf("%q is shown as %q", line, got)
		}
	})
}
