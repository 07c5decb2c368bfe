package sanitize_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/sanitize"
)

func TestOutput(t *testing.T) {
	const link, end = "\x1b]8;;https://good.example\x1b\\", "\x1b]8;;\x1b\\"
	for in, want := range map[string]string{
		"":                                        "",
		"text\n\twith tab":                        "text\n\twith tab",
		"a\x1b[1;31mred\x1b[0m b\x1b[m":           "a\x1b[1;31mred\x1b[0m b\x1b[m",
		"\x1b[38;2;9;9;9mx\x1b[38;5;9my":          "\x1b[38;2;9;9;9mx\x1b[38;5;9my",
		"\x1b[4:3m\x1b[58:5:9mcurly":              "\x1b[4:3m\x1b[58:5:9mcurly",
		"a\x1b[8mhidden\x1b[28m":                  "a[8mhidden\x1b[28m",
		"\x1b[1;08;31mhidden":                     "[1;08;31mhidden",
		"\x1b[38;5;8;8mhidden":                    "[38;5;8;8mhidden",
		"\x1b[8:1mhidden":                         "[8:1mhidden",
		"\x1b[4294967304mhidden":                  "[4294967304mhidden",
		"\x1b[>4;2m\x1b[?4mkeys":                  "[>4;2m[?4mkeys",
		"a\x1b[2J\x1b[1;1H\x1b[?1049hb":           "a[2J[1;1H[?1049hb",
		"a\x1b[6n\x1bcb":                          "a[6ncb",
		"a\x1b]0;title\x07b\x1b]2;t\x1b\\c":       "a]0;titleb]2;t\\c",
		"a\x1bPq rest\nand \x1b[31mmore":          "aPq rest\nand \x1b[31mmore",
		"a\u009b2Jb\r\b\x00":                      "a2Jb",
		"a\x1b":                                   "a",
		"a\x1b[1\x1b[2Jb":                         "a[1[2Jb",
		"bad\xff \u202etext":                      "bad\ufffd text",
		link + "x" + end:                          link + "x" + end,
		"\x1b]8;id=1;https://e.x\x1b\\x" + end:    "\x1b]8;id=1;https://e.x\x1b\\x" + end,
		"\x1b]8;;MAILTO:a@e.x\x1b\\x" + end:       "\x1b]8;;MAILTO:a@e.x\x1b\\x" + end,
		"\x1b]8;;file:///etc/passwd\x1b\\x":       "]8;;file:///etc/passwd\\x",
		"\x1b]8;;javascript:x;https://e.x\x1b\\x": "]8;;javascript:x;https://e.x\\x",
		"\x1b]8;;https://\u00e9.x\x1b\\x":         "]8;;https://\u00e9.x\\x",
		"\x1b]8;;https://e.x\ax":                  "]8;;https://e.xx",
		link + "x":                                link + "x" + end,
		link + "x\x1b]8;;file:///\x1b\\y":         link + "x]8;;file:///\\y" + end,
	} {
		if got := sanitize.Output(in); got != want {
			t.Errorf("Output(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestOutputAttacks(t *testing.T) {
	for name, attack := range attacks(t) {
		for cut := range len(attack) + 1 {
			out := sanitize.Output(attack[:cut]) + sanitize.Output(attack[cut:])
			if rest := allowed.ReplaceAllString(out, ""); strings.ContainsRune(rest, '\x1b') {
				t.Errorf("%s, cut at %d: %q", name, cut, out)
			} else {
				mustBeText(t, rest)
			}
		}
	}
}

func FuzzOutput(f *testing.F) {
	for _, attack := range attacks(f) {
		f.Add(attack)
	}
	f.Add("\x1b[38;8;5;38;5;8mhidden")
	f.Fuzz(func(t *testing.T, s string) {
		out := sanitize.Output(s)
		for _, sgr := range regexp.MustCompile(`\x1b\[([0-9;:]*)m`).FindAllStringSubmatch(out, -1) {
			if conceals(sgr[1]) {
				t.Errorf("%q hides text by %q", s, sgr[0])
			}
		}
		mustBeText(t, allowed.ReplaceAllString(out, ""))
		if strings.LastIndex(out, "\x1b]8;") > strings.LastIndex(out, "\x1b]8;;\x1b\\") {
			t.Errorf("%q leaves a link open", out)
		}
		if again := sanitize.Output(out); again != out {
			t.Errorf("cleaning %q again gives %q", out, again)
		}
	})
}

// conceals reports whether SGR parameters could hide text in any terminal.
func conceals(params string) bool {
	return slices.ContainsFunc(regexp.MustCompile("[;:]").Split(params, -1), func(field string) bool {
		n, _ := strconv.Atoi(field)
		return n == 8
	})
}

// allowed matches all escape sequences that may reach a terminal.
var allowed = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[!-:<-~]*;(?i:(http://|https://|mailto:)[!-~]+)?\x1b\\`)
