package sanitize_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/aloudchat/aloud/internal/sanitize"
)

func TestVisible(t *testing.T) {
	for given, want := range map[string]string{
		"":                             "",
		"plain 日本 é":                   "plain 日本 é",
		"\tif x {":                     "    if x {",
		"a\x1b[2Jb\x9b":                `a\x1b[2Jb\x9b`,
		"admin\u202e txt.exe":          `admin\u202e txt.exe`,
		"tag \U000e0041":               `tag \U000e0041`,
		"over\rwritten":                `over\rwritten`,
		"two\nlines":                   `two\nlines`,
		"a\U000e0142b\U000e01ef":       `a\U000e0142b\U000e01ef`,
		"w\u00adord\u200b\u2060":       `w\u00adord\u200b\u2060`,
		"fill\u3164\u115f\uffa0\u2800": `fill\u3164\u115f\uffa0\u2800`,
		"می\u200cخواهم x\ufe0fy":       `می\u200cخواهم x\ufe0fy`,
		"✈\ufe0f 👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👍🏽":     "✈\ufe0f 👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👍🏽",
		"👩\u200dx 👩\u200d\u200d👧 ✈\ufe0e ✈\ufe0f\ufe0f": `👩\u200dx 👩\u200d\u200d👧 ✈\ufe0e ✈` + "\ufe0f" + `\ufe0f`,
		"Z" + strings.Repeat("\u0301", 10):              "Z" + strings.Repeat("\u0301", 8) + `\u0301\u0301`,
		"c1 \u009b and \x7f done":                       `c1 \u009b and \x7f done`,
	} {
		if got := sanitize.Visible(given); got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

// emoji matches symbols with their joiners.
var emoji = regexp.MustCompile(`([\p{So}\p{Sk}])(?:\x{fe0f}?\x{200d}(\p{So})|\x{fe0f})`)

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b]8;;x\x07\tb\r\n")
	f.Add("\xa9\u200d")
	for _, attack := range attacks(f) {
		f.Add(attack)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got := sanitize.Visible(line)
		if sanitize.Text(got) != got || strings.ContainsAny(got, "\n\t\r") {
			t.Errorf("%q is shown as %q", line, got)
		}
		for emoji.MatchString(got) {
			got = emoji.ReplaceAllString(got, "$1$2")
		}
		for _, r := range got {
			hidden := unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
			if hidden && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
				t.Errorf("%q is shown as %q, which hides %U", line, got, r)
			}
		}
	})
}
