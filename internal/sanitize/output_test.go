package sanitize_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/tabletest"
)

func TestOutput(t *testing.T) {
	for _, row := range tabletest.Read(t, "output.txt") {
		in, want := row[0], row[1]
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
