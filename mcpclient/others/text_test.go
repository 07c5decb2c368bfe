package others_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestValuesAreTakenApart tells what becomes of a value, in a program with a shell and in one without.
func TestValuesAreTakenApart(t *testing.T) {
	for _, test := range []struct{ value, crush, code string }{
		{"word", "word", "word"},
		{"${A}", "${A}", "${A}"},
		{"a${A:-b}c", "a${A:-b}c", "a${A:-b}c"},
		{"${A-b}${B:=c}", "${A:-b}${B:-c}", "${A:-b}${B:-c}"},
		{"${A:?say so}", "${A}", "${A}"},
		{"${A:-${B}}", "${A}", "${A}"},
		{"$A/$B", "${A}/${B}", "$A/$B"},
		{"costs $5 or $", "costs $5 or $", "costs $5 or $"},
		{"$${A}", "$${A}", "$${A}"},
		{"${", "$${", "$${"},
		{"${}", "${S_VALUE}", "${S_VALUE}"},
		{"${env:A}${env://B:-c}", "${A}${B:-c}", "${A}${B:-c}"},
		{"${input:my-key}", "${MY_KEY}", "${MY_KEY}"},
		{"${command:pick.one}", "${S_COMMAND_PICK_ONE}", "${S_COMMAND_PICK_ONE}"},
		{"${userHome}${/}x", "/home/ada/x", "/home/ada/x"},
		{"x $(cmd $(a)) y", "x ${S_ARGUMENT_1} y", "x $(cmd $(a)) y"},
		{"x `cmd` $B", "x ${S_ARGUMENT_1} ${B}", "x `cmd` $B"},
		{"$(a)$(b)", "${S_ARGUMENT_1}", "$(a)$(b)"},
		{"$(a", "${S_ARGUMENT_1}", "$(a"},
	} {
		entry := `{"s": {"type": "stdio", "command": "s", "args": [` + strconv.Quote(test.value) + `]}}`
		dir := t.TempDir()
		for name, want := range map[string]string{"crush.json": test.crush, "mcp.json": test.code} {
			path := filepath.Join(dir, name)
			save(t, path, `{"mcp": `+entry+`, "mcpServers": `+entry+`}`)
			s := others.Read(others.Place{GOOS: "linux", Home: "/home/ada", Env: nothing}, path)
			if len(s.Servers) != 1 || s.Servers[0].Args[0].String() != want {
				t.Errorf("%s: %q became %+v, want %q", name, test.value, s, want)
			}
		}
	}
}

func TestVariableName(t *testing.T) {
	for words, want := range map[string]string{
		"github-token": "GITHUB_TOKEN", "1password": "PASSWORD", "": "VALUE", "ÄÖ": "VALUE", "a  b--c_": "A_B_C", strings.Repeat("a", 100): strings.Repeat("A", 64),
	} {
		if got := others.VariableName(words); got != want {
			t.Errorf("%q became %q, want %q", words, got, want)
		}
	}
}
