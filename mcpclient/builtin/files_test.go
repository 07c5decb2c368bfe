package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// serve serves a folder with these files.
func serve(t testing.TB, files map[string]string, writable bool) (c *client.Client, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "served")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, dir, name, content)
	}
	s, err := builtin.New("files", builtin.Options{Dir: dir, Write: writable})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return connect(t, s.MCPServer), dir
}

func TestReadFile(t *testing.T) {
	c, dir := serve(t, map[string]string{
		"a.txt":         "one\ntwo\nthree\n",
		"empty":         "",
		"sub/b.txt":     "deep",
		"latin1.txt":    "na\xefve",
		"utf16.txt":     "\xff\xfeh\x00i\x00",
		"picture.png":   "\x89PNG\r\n\x1a\n\x00\x00",
		"long.txt":      strings.Repeat("0123456789\n", 10_000),
		"longline.txt":  strings.Repeat("x", 100_000) + "\nsecond\n",
		"onlyline.json": strings.Repeat("y", 100_000),
	}, false)

	for _, given := range []args{{"path": "a.txt"}, {"path": "./sub/../a.txt"}, {"path": filepath.Join(dir, "a.txt")}} {
		if got := succeeds(t, c, "read_file", given, "one"); got != "one\ntwo\nthree\n" {
			t.Errorf("%v is %q", given, got)
		}
	}
	if got := succeeds(t, c, "read_file", args{"path": "a.txt", "offset": 2, "limit": "1"}, "two"); got != "two\n[Lines 2 to 2. There is more: go on with offset 3.]" {
		t.Errorf("the middle is %q", got)
	}
	if got := succeeds(t, c, "read_file", args{"path": "a.txt", "offset": 3, "limit": 1}, "three"); got != "three\n" {
		t.Errorf("the end is %q", got)
	}
	succeeds(t, c, "read_file", args{"path": "empty"}, "[The file is empty.]")
	succeeds(t, c, "read_file", args{"path": "latin1.txt"}, "na\ufffdve")
	succeeds(t, c, "read_file", args{"path": "utf16.txt"}, "hi")
	succeeds(t, c, "read_file", args{"path": "longline.txt"}, "[Line 1 is longer than 32768 bytes and was cut.]\n[Lines 1 to 1. There is more: go on with offset 2.]")
	if got := succeeds(t, c, "read_file", args{"path": "onlyline.json"}, "was cut.]"); strings.Contains(got, "go on") {
		t.Errorf("there is more of one line: %q", got[len(got)-100:])
	}
	fails(t, c, "read_file", args{"path": "a.txt", "offset": 4}, "the file ends before line 4; it has 3")
	fails(t, c, "read_file", args{"path": "sub/b.txt", "offset": 2}, "the file ends before line 2; it has 1")
	fails(t, c, "read_file", args{"path": "a.txt", "offset": 9}, "the file ends before line 9; it has 3")
	fails(t, c, "read_file", args{"path": "picture.png"}, `"picture.png" is not text (image/png, 10 bytes)`)
	fails(t, c, "read_file", args{"path": "sub"}, "list_directory")
	fails(t, c, "read_file", args{"path": "none"}, `there is no "none"`)
	fails(t, c, "read_file", args{"path": 7}, `the argument "path" is missing or no string`)
	fails(t, c, "read_file", nil, `the argument "path" is missing or no string`)
}

func TestALongFileComesInParts(t *testing.T) {
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, "line %d\n", i+1)
	}
	c, _ := serve(t, map[string]string{"long.txt": lines.String()}, false)
	var whole strings.Builder
	for offset, parts := 1, 0; offset > 0; parts++ {
		if parts > 100 {
			t.Fatal("it never ends")
		}
		answer := succeeds(t, c, "read_file", args{"path": "long.txt", "offset": offset, "limit": 5000}, "line")
		content, note, more := strings.Cut(answer, "[Lines ")
		whole.WriteString(content)
		offset = 0
		if more {
			if _, err := fmt.Sscanf(note[strings.LastIndex(note, "offset"):], "offset %d.]", &offset); err != nil {
				t.Fatal(err)
			}
		}
	}
	if whole.String() != lines.String() {
		t.Errorf("the parts make %d bytes, the file has %d", whole.Len(), lines.Len())
	}
}

func TestFilesStayInTheFolder(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "inside"}, true)
	write(t, filepath.Dir(dir), "secret.txt", "secret")
	for _, path := range []string{
		"../secret.txt", "../../../../etc/passwd", "/etc/passwd", filepath.Join(filepath.Dir(dir), "secret.txt"), "a/../../secret.txt", "nul\x00byte",
	} {
		fails(t, c, "read_file", args{"path": path}, "is outside the folder that is served")
		fails(t, c, "list_directory", args{"path": path}, "is outside the folder that is served")
		fails(t, c, "search_files", args{"path": path, "text": "s"}, "is outside the folder that is served")
		fails(t, c, "write_file", args{"path": path, "content": "x"}, "is outside the folder that is served")
		fails(t, c, "edit_file", args{"path": path, "old_text": "s", "new_text": "x"}, "is outside the folder that is served")
	}
	if runtime.GOOS != "windows" { // where making links needs rights
		for _, target := range []string{"../secret.txt", filepath.Join(filepath.Dir(dir), "secret.txt")} {
			link := filepath.Join(dir, "link.txt")
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			fails(t, c, "read_file", args{"path": "link.txt"}, "is outside the folder that is served")
			fails(t, c, "write_file", args{"path": "link.txt", "content": "x"}, "is a link")
			succeeds(t, c, "search_files", args{"text": "secret"}, "[Nothing found.")
			succeeds(t, c, "list_directory", nil, "link.txt (link)")
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "secret.txt")); err != nil || string(got) != "secret" {
		t.Errorf("the file outside is now %q, %v", got, err)
	}
}

func TestListDirectory(t *testing.T) {
	c, _ := serve(t, map[string]string{"b.txt": strings.Repeat("x", 1234), "sub/deep.txt": "1"}, false)
	if got, want := succeeds(t, c, "list_directory", nil, "b.txt"), "b.txt (1.2 kB)\nsub/\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	succeeds(t, c, "list_directory", args{"path": "sub"}, "deep.txt (1 bytes)")
	fails(t, c, "list_directory", args{"path": "none"}, `there is no "none"`)
	fails(t, c, "list_directory", args{"path": "b.txt"}, `"b.txt"`)

	many := map[string]string{}
	for i := range 600 {
		many[fmt.Sprintf("%03d", i)] = ""
	}
	c, _ = serve(t, many, false)
	succeeds(t, c, "list_directory", nil, "[100 more; search_files finds them by name]")
	c, _ = serve(t, nil, false)
	succeeds(t, c, "list_directory", nil, "[The folder is empty.]")
}

func TestSearchFiles(t *testing.T) {
	c, _ := serve(t, map[string]string{
		"main.go":               "package main\n\nfunc main() { Run() }\n",
		"docs/guide.md":         "# Guide\nHow to run it.\r\n",
		"docs/deep/more.md":     "more",
		"node_modules/x/run.go": "run",
		".git/config":           "run",
		"picture.png":           "\x89PNG\r\n\x1a\n\x00\x00run",
		"minified.js":           strings.Repeat("f();", 50_000) + "faraway",
		"one_long_line.txt":     strings.Repeat("ä", 5000) + "needle" + strings.Repeat("ö", 5000),
	}, false)
	for _, s := range []struct {
		given args
		want  string
	}{
		{args{"glob": "*.go"}, "main.go"},
		{args{"glob": "*.md"}, "docs/guide.md\ndocs/deep/more.md"},
		{args{"glob": "docs/*.md"}, "docs/guide.md"},
		{args{"glob": "**/*.{md,go}"}, "main.go\ndocs/guide.md\ndocs/deep/more.md"},
		{args{"glob": "deep/*", "path": "docs"}, "docs/deep/more.md"},
		{args{"glob": "deep"}, "docs/deep/"},
		{args{"text": "run"}, "main.go:3: func main() { Run() }\ndocs/guide.md:2: How to run it."},
		{args{"text": "Run"}, "main.go:3: func main() { Run() }"},
		{args{"text": "run", "glob": "*.md"}, "docs/guide.md:2: How to run it."},
		{args{"text": "run", "path": "docs"}, "docs/guide.md:2: How to run it."},
		{args{"text": "nowhere"}, "[Nothing found. What .gitignore names and what usually holds secrets is not searched; list_directory shows it.]"},
	} {
		if got := succeeds(t, c, "search_files", s.given, ""); got != s.want {
			t.Errorf("%v: got %q, want %q", s.given, got, s.want)
		}
	}
	succeeds(t, c, "search_files", args{"text": "faraway"}, "faraway")
	if got := succeeds(t, c, "search_files", args{"text": "needle"}, "needle"); len(got) > 250 {
		t.Errorf("a long line is told in full: %d bytes", len(got))
	}
	fails(t, c, "search_files", nil, `give a "glob", a "text" or both`)
	fails(t, c, "search_files", args{"glob": "[a"}, `"[a" is no glob`)
	fails(t, c, "search_files", args{"glob": strings.Repeat("{*,*}", 30)}, "has more than 4 choices") // would take until the end of time
	fails(t, c, "search_files", args{"text": "x", "path": "none"}, `there is no "none"`)
}

func TestSearchSaysWhenItStopped(t *testing.T) {
	c, _ := serve(t, map[string]string{"many.txt": strings.Repeat("hit\n", 200), "big.txt": strings.Repeat("x", 11<<20), "a.json": strings.Repeat("x", 300<<10)}, false)
	succeeds(t, c, "search_files", args{"text": "hit"}, "[Stopped after 100 matches in 3 entries: there may be more. Narrow the search.]\n[2 could not be searched to the end: closed to us, larger than 10 MB, or with lines over 256 kB.]")
}

func TestWriteFile(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "old", "sub/b": ""}, true)
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	succeeds(t, c, "write_file", args{"path": "a.txt", "content": "new"}, `Changed "a.txt".`)
	succeeds(t, c, "write_file", args{"path": "new/deep/c.txt", "content": "日本\n"}, `Wrote "new/deep/c.txt", a new file of 7 bytes.`)
	for name, want := range map[string]string{"a.txt": "new", "new/deep/c.txt": "日本\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is now %v, %v", info.Mode(), err)
	}
	fails(t, c, "write_file", args{"path": "sub", "content": "x"}, `"sub" is a folder`)
	fails(t, c, "write_file", args{"path": "a.txt/x", "content": "x"}, `"a.txt/x" cannot be used: not a directory`)
	fails(t, c, "write_file", args{"path": "a.txt"}, `"content"`)
	left, err := filepath.Glob(filepath.Join(dir, ".aloud-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("drafts are left: %q, %v", left, err)
	}
}

func TestEditFile(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "one\ntwo\ntwo\nthree\n", "dos.txt": "one\r\ntwo\r\n"}, true)
	succeeds(t, c, "edit_file", args{"path": "a.txt", "old_text": "two\nthree", "new_text": "2\n3"}, `Changed "a.txt".`)
	succeeds(t, c, "edit_file", args{"path": "dos.txt", "old_text": "one\ntwo", "new_text": "1\n2"}, `Changed "dos.txt".`)
	for name, want := range map[string]string{"a.txt": "one\ntwo\n2\n3\n", "dos.txt": "1\r\n2\r\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "four", "new_text": ""}, `old_text is not in "a.txt"`)
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "o", "new_text": ""}, `old_text is in "a.txt" 2 times; give more`)
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "", "new_text": "x"}, "old_text is empty")
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "one"}, `"new_text" is missing`)
	succeeds(t, c, "edit_file", args{"path": "a.txt", "old_text": "one", "new_text": "one"}, "has this content already")
	fails(t, c, "edit_file", args{"path": "none", "old_text": "x", "new_text": "x"}, `there is no "none"`)
}

func TestAReaderCannotWrite(t *testing.T) {
	for _, tool := range toolsOf(t, "files", builtin.Options{Dir: t.TempDir()}) {
		if !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered", tool.Name)
		}
	}
}
