package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// serve returns a client of a server for a folder with these files.
func serve(t testing.TB, files map[string]string) (c *mcp.ClientSession, dir string) {
	t.Helper()
	s, dir := writable(t, files)
	return connect(t, s), dir
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
	})

	for _, given := range []args{{"path": "a.txt"}, {"path": "./sub/../a.txt"}, {"path": filepath.Join(dir, "a.txt")}} {
		if got := succeeds(t, c, "read_file", given, "one"); got != "one\ntwo\nthree\n" {
			t.Errorf("%v is %q", given, got)
		}
	}
	got := succeeds(t, c, "read_file", args{"path": "a.txt", "offset": 2, "limit": "1"}, "two")
	if got != "two\n[Lines 2 to 2. Continue with offset 3.]" {
		t.Errorf("the middle is %q", got)
	}
	if got := succeeds(t, c, "read_file", args{"path": "a.txt", "offset": 3, "limit": 1}, "three"); got != "three\n" {
		t.Errorf("the end is %q", got)
	}
	succeeds(t, c, "read_file", args{"path": "empty"}, "[The file is empty.]")
	succeeds(t, c, "read_file", args{"path": "latin1.txt"}, "na\ufffdve")
	succeeds(t, c, "read_file", args{"path": "utf16.txt"}, "hi")
	succeeds(t, c, "read_file", args{"path": "longline.txt"},
		"[Line 1 was truncated to 32768 bytes.]\n[Lines 1 to 1. Continue with offset 2.]")
	got = succeeds(t, c, "read_file", args{"path": "onlyline.json"}, "was truncated to")
	if strings.Contains(got, "Continue") {
		t.Error(got[len(got)-100:])
	}
	fails(t, c, "read_file", args{"path": "a.txt", "offset": 4}, "the file has only 3 lines")
	fails(t, c, "read_file", args{"path": "sub/b.txt", "offset": 2}, "the file has only 1 lines")
	fails(t, c, "read_file", args{"path": "picture.png"}, `"picture.png" is not text (image/png)`)
	fails(t, c, "read_file", args{"path": "sub"}, "list_directory")
	fails(t, c, "read_file", args{"path": "none"}, `"none" does not exist`)
	fails(t, c, "read_file", args{"path": 7}, `the argument "path" is missing or not a string`)
	fails(t, c, "read_file", nil, `the argument "path" is missing or not a string`)
}

func TestFilesStayInTheFolder(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "inside"})
	write(t, filepath.Dir(dir), "secret.txt", "secret")
	for _, path := range []string{
		"../secret.txt", "/etc/passwd", filepath.Join(filepath.Dir(dir), "secret.txt"), "a/../../secret.txt", "nul\x00byte",
	} {
		fails(t, c, "read_file", args{"path": path}, "is outside the served folder")
		fails(t, c, "list_directory", args{"path": path}, "is outside the served folder")
		fails(t, c, "search_files", args{"path": path, "text": "s"}, "is outside the served folder")
		fails(t, c, "write_file", args{"path": path, "content": "x"}, "is outside the served folder")
		fails(t, c, "edit_file", args{"path": path, "old_text": "s", "new_text": "x"}, "is outside the served folder")
	}
	if runtime.GOOS != "windows" { // links need privileges there
		for _, target := range []string{"../secret.txt", filepath.Join(filepath.Dir(dir), "secret.txt")} {
			link := filepath.Join(dir, "link.txt")
			must(t, os.Symlink(target, link))
			fails(t, c, "read_file", args{"path": "link.txt"}, "is outside the served folder")
			fails(t, c, "write_file", args{"path": "link.txt", "content": "x"}, "is a link")
			succeeds(t, c, "search_files", args{"text": "secret"}, "[Nothing found.")
			succeeds(t, c, "list_directory", nil, "link.txt (link)")
			must(t, os.Remove(link))
		}
	}
	holds(t, filepath.Dir(dir), "secret.txt", "secret")
}

func TestListDirectory(t *testing.T) {
	c, _ := serve(t, map[string]string{"b.txt": strings.Repeat("x", 1234), "sub/deep.txt": "1"})
	if got, want := succeeds(t, c, "list_directory", nil, "b.txt"), "b.txt (1.2 kB)\nsub/\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	succeeds(t, c, "list_directory", args{"path": "sub"}, "deep.txt (1 bytes)")
	fails(t, c, "list_directory", args{"dir": "sub"}, `unknown argument "dir". Use "path"`)
	fails(t, c, "list_directory", args{"path": []string{"sub"}}, `the argument "path" must be a string`)
	fails(t, c, "list_directory", args{"path": "none"}, `"none" does not exist`)
	fails(t, c, "list_directory", args{"path": "b.txt"}, `"b.txt"`)

	many := map[string]string{}
	for i := range 600 {
		many[fmt.Sprintf("%03d", i)] = ""
	}
	c, _ = serve(t, many)
	succeeds(t, c, "list_directory", nil, "[100 more. Use search_files to find them by name]")
	c, _ = serve(t, nil)
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
	})
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
		{
			args{"text": "nowhere"},
			"[Nothing found. Ignored files (.gitignore) and files that usually hold secrets were skipped.]",
		},
	} {
		want := s.want
		if s.given["text"] != nil && s.given["path"] == nil && s.given["glob"] == nil {
			want += "\n[1 not searched: no access, not text, larger than 10 MB, or lines over 256 kB.]" // the picture
		}
		if got := succeeds(t, c, "search_files", s.given, ""); got != want {
			t.Errorf("%v: got %q, want %q", s.given, got, want)
		}
	}
	succeeds(t, c, "search_files", args{"text": "faraway"}, "faraway")
	if got := succeeds(t, c, "search_files", args{"text": "needle"}, "needle"); len(got) > 350 {
		t.Errorf("a long line is shown with %d bytes", len(got))
	}
	fails(t, c, "search_files", nil, `"glob" and "text" are both missing`)
	fails(t, c, "search_files", args{"glob": "[a"}, `"[a" is not a glob`)
	fails(t, c, "search_files", args{"glob": strings.Repeat("{*,*}", 30)}, "has more than 4 choices")
	fails(t, c, "search_files", args{"text": "x", "path": "none"}, `"none" does not exist`)
}

func TestSearchLimits(t *testing.T) {
	c, _ := serve(t, map[string]string{
		"many.txt": strings.Repeat("hit\n", 200), "a.json": strings.Repeat("x", 300<<10),
		"big.txt": strings.Repeat("x", 11<<20),
	})
	succeeds(t, c, "search_files", args{"text": "hit"}, "[Stopped after 100 matches in 3 entries. Narrow the search.]\n"+
		"[2 not searched: no access, not text, larger than 10 MB, or lines over 256 kB.]")
}

func TestWriteFile(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "old", "sub/b": ""})
	succeeds(t, c, "write_file", args{"path": "a.txt", "content": "new"}, `Changed "a.txt".`)
	succeeds(t, c, "write_file", args{"path": "new/deep/c.txt", "content": "日本\n"}, `Created "new/deep/c.txt" (7 bytes).`)
	holds(t, dir, "a.txt", "new")
	holds(t, dir, "new/deep/c.txt", "日本\n")
	fails(t, c, "write_file", args{"path": "sub", "content": "x"}, `"sub" is a folder`)
	fails(t, c, "write_file", args{"path": "a.txt/x", "content": "x"}, `cannot use "a.txt`)
	fails(t, c, "write_file", args{"path": "a.txt"}, `"content"`)
	left, err := filepath.Glob(filepath.Join(dir, ".aloud-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left-over files: %q, %v", left, err)
	}
}

func TestEditFile(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "one\ntwo\ntwo\nthree\n"})
	succeeds(t, c, "edit_file", args{"path": "a.txt", "old_text": "two\nthree", "new_text": "2\n3"}, `Changed "a.txt".`)
	holds(t, dir, "a.txt", "one\ntwo\n2\n3\n")
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "o", "new_text": ""}, `old_text is in "a.txt" 2 times`)
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "", "new_text": "x"}, "old_text is empty")
	fails(t, c, "edit_file", args{"path": "a.txt", "old_text": "one"}, `"new_text" is missing`)
	succeeds(t, c, "edit_file", args{"path": "a.txt", "old_text": "one", "new_text": "one"}, "already has this content")
	fails(t, c, "edit_file", args{"path": "none", "old_text": "x", "new_text": "x"}, `"none" does not exist`)
}

func TestReadOnly(t *testing.T) {
	for _, tool := range toolsOf(t, "files", builtin.Options{Dir: t.TempDir()}) {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered", tool.Name)
		}
	}
}
