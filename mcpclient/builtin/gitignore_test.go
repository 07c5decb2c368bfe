package builtin_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// ignoring is a folder with every kind of rule.
var ignoring = map[string]string{
	".gitignore": "# comment\n*.log\n!keep.log\n/build\ntemp/\ndocs/*.tmp\n**/cache/**\nspace\\ \n{x}\n\\#odd\n[a-\n",
	"a.log":      "x", "keep.log": "x", "build/out": "x", "sub/build": "x", "sub/temp/t": "x", "temp": "x",
	"docs/a.tmp":     "x",
	"docs/sub/a.tmp": "x", "sub/cache/c": "x", "sub/cache/deep/c": "x", "{x}": "x", "x": "x", "#odd": "x", "sub/only": "x",
	"sub/.gitignore": "!*.log\n/only\n", "sub/b.log": "x", "only": "x", "other/b.log": "x", "z.log": "x",
}

// TestSearchSkipsIgnored compares with git, if it is installed.
func TestSearchSkipsIgnored(t *testing.T) {
	s, dir := writable(t, ignoring)
	c := connect(t, s)
	want := []string{".gitignore", "docs/sub/a.tmp", "keep.log", "only", "sub/.gitignore", "sub/b.log", "sub/build",
		"temp", "x"}
	if git, err := exec.LookPath("git"); err == nil {
		run := func(arguments ...string) string {
			command := exec.Command(git, arguments...)
			command.Dir = dir
			out, err := command.Output()
			must(t, err)
			return string(out)
		}
		run("init", "-q")
		if files := strings.Fields(run("ls-files", "--others", "--exclude-standard")); !slices.Equal(files, want) {
			t.Fatalf("git lists %q", files)
		}
	}
	var got []string
	for name := range strings.SplitSeq(succeeds(t, c, "search_files", args{"glob": "*"}, ""), "\n") {
		if !strings.HasSuffix(name, "/") {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	succeeds(t, c, "search_files", args{"glob": "out"}, "[Nothing found.")
	if got := succeeds(t, c, "search_files", args{"glob": "*", "path": "build"}, ""); got != "build/out" {
		t.Errorf("an ignored folder named in the call has %q", got)
	}
}

func TestSearchRegexp(t *testing.T) {
	c, _ := serve(t, map[string]string{"a.go": "func main() {\r\n\treturn nil\r\n}\n", "b.go": "func Other(x int) {\n"})
	for text, want := range map[string]string{
		`^func \w+\(\)`: "a.go:1: func main() {",
		`nil$`:          "a.go:2: return nil",
		`OTHER|Other`:   "b.go:1: func Other(x int) {",
		`other`:         "b.go:1: func Other(x int) {",
	} {
		if got := succeeds(t, c, "search_files", args{"text": text, "regexp": true}, ""); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
	fails(t, c, "search_files", args{"text": "(", "regexp": true}, `"(" is not a regular expression: `)
}

// This expression would take minutes for a line of 10 MB.
func TestSearchSlowRegexp(t *testing.T) {
	c, _ := serve(t, map[string]string{"long.txt": strings.Repeat("a", 9<<20)})
	succeeds(t, c, "search_files", args{"text": "[a-z]{1,500}[a-z]{1,400}Z", "regexp": true}, "lines over 256 kB")
}

func FuzzGitignore(f *testing.F) {
	f.Add("*.log\n!a\n/x/**/y\n[a-z]/\n")
	f.Add(strings.Repeat("**/*a*", 20))
	f.Fuzz(func(t *testing.T, rules string) {
		c, _ := serve(t, map[string]string{".gitignore": rules, "a/b/c": "x", "a/" + strings.Repeat("a", 50): "x"})
		succeeds(t, c, "search_files", args{"glob": "**"}, "")
	})
}
