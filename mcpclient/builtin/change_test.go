package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// writable returns a files server with write access, and its folder.
func writable(t testing.TB, files map[string]string) (s *builtin.Server, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "served")
	must(t, os.Mkdir(dir, 0o755))
	for name, content := range files {
		write(t, dir, name, content)
	}
	return open(t, "files", builtin.Options{Dir: dir, Write: true}), dir
}

func preview(t testing.TB, s *builtin.Server, tool string, given args) (diff, basis string, err error) {
	t.Helper()
	raw, err := json.Marshal(given)
	must(t, err)
	return s.Preview(t.Context(), tool, raw)
}

// holds checks the content of a file.
func holds(t testing.TB, dir, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
		t.Errorf("%s is %q, %v; want %q", name, got, err, want)
	}
}

func TestPreview(t *testing.T) {
	s, dir := writable(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "dos.txt": "one\r\ntwo\r\n",
		"mixed.txt": "one\r\ntwo\n", "marked.txt": "\ufeffone\n",
		"more.txt": "one\r\ntwo\nthree\r\n"})
	for _, c := range []struct {
		tool  string
		given args
		want  string
	}{
		{
			"edit_file", args{"path": "a.txt", "old_text": "two", "new_text": "2\n2b"},
			"--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n",
		},
		{"write_file", args{"path": "dos.txt", "content": "one\n2\n"},
			"--- dos.txt\n+++ dos.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"},
		{"write_file", args{"path": "new/n.txt", "content": "hi\n"}, "--- /dev/null\n+++ new/n.txt\n@@ -0,0 +1 @@\n+hi\n"},
		{"write_file", args{"path": "a.txt", "content": "one\ntwo\nthree\n"}, ""},
		{"read_file", args{"path": "a.txt"}, ""},
		{"write_file", args{"path": "mixed.txt", "content": "one\ntwo\n"},
			"--- mixed.txt\n+++ mixed.txt\n@@ -1,2 +1,2 @@\n-one\r\n+one\n two\n"},
		{"edit_file", args{"path": "mixed.txt", "old_text": "two\n", "new_text": "two\r\n"},
			"--- mixed.txt\n+++ mixed.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\n+two\r\n"},
		{"edit_file", args{"path": "more.txt", "old_text": "one\r\n", "new_text": "one\n"},
			"--- more.txt\n+++ more.txt\n@@ -1,3 +1,3 @@\n-one\r\n+one\n two\n three\r\n"},
		{"write_file", args{"path": "dos2.txt", "content": "one\r\n"},
			"--- /dev/null\n+++ dos2.txt\n@@ -0,0 +1 @@\n+one\r\n"},
		{"write_file", args{"path": "marked.txt", "content": "two\n"},
			"--- marked.txt\n+++ marked.txt\n@@ -1 +1 @@\n-\ufeffone\n+\ufefftwo\n"},
	} {
		if got, _, err := preview(t, s, c.tool, c.given); err != nil || got != c.want {
			t.Errorf("%s %v: got %q, %v; want %q", c.tool, c.given, got, err, c.want)
		}
	}
	holds(t, dir, "a.txt", "one\ntwo\nthree\n")
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a preview made a folder")
	}
	for _, given := range []args{{"path": "a.txt", "old_text": "four", "new_text": ""}, {"path": "../x"}, {}} {
		if got, _, err := preview(t, s, "edit_file", given); err == nil || got != "" {
			t.Errorf("%v: got %q, %v, want an error", given, got, err)
		}
	}
}

func TestEditOldTextNotFound(t *testing.T) {
	s, _ := writable(t, map[string]string{"main.go": "package main\n\nfunc main() {\n\tif true {\n\t\trun()\n\t}\n}\n"})
	c := connect(t, s)
	for old, want := range map[string]string{
		"    if true {\n  run()\n  }": ". From line 4 on, the file has:\n\tif true {\n\t\trun()\n\t}",
		"\n\n    func main() {\n":     ". From line 3 on, the file has:\nfunc main() {",
		"os.Exit(run())":              ". Read it with read_file",
		" \n ":                        ". Read it with read_file",
		strings.Repeat("x\n", 10_000): ". Read it with read_file",
	} {
		fails(t, c, "edit_file", args{"path": "main.go", "old_text": old, "new_text": "x"},
			`old_text is not in "main.go"`+want)
	}
}

func TestChangesKeepFileFormat(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	s, dir := writable(t, map[string]string{
		"dos.txt": "one\r\ntwo\r\n", "mixed.txt": "one\r\ntwo\nthree\n", "p.png": png,
		"zero.txt": strings.Repeat("text ", 200) + "\x00", "wide.txt": "\xff\xfeh\x00i\x00", "latin1.txt": "caf\xe9 one\n",
		"run.sh": "#!/bin/sh\n", "big.txt": strings.Repeat("x", 11<<20),
		"marked.txt": "\ufeffone\r\n",
	})
	c := connect(t, s)
	must(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o775))
	succeeds(t, c, "write_file", args{"path": "run.sh", "content": "#!/bin/sh\nexit\n"}, "Changed")
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o775 {
		t.Errorf("the script is now %v, %v", info.Mode(), err)
	}
	succeeds(t, c, "write_file", args{"path": "dos.txt", "content": "one\n2\n"}, "Changed")
	holds(t, dir, "dos.txt", "one\r\n2\r\n")
	succeeds(t, c, "edit_file", args{"path": "dos.txt", "old_text": "2", "new_text": "2\n3"}, `Changed "dos.txt".`)
	holds(t, dir, "dos.txt", "one\r\n2\r\n3\r\n")
	succeeds(t, c, "edit_file", args{"path": "mixed.txt", "old_text": "two\nthree", "new_text": "2\n3"}, "Changed")
	holds(t, dir, "mixed.txt", "one\r\n2\n3\n")
	succeeds(t, c, "edit_file", args{"path": "mixed.txt", "old_text": "one\n2", "new_text": "1\n2"}, "Changed")
	holds(t, dir, "mixed.txt", "1\r\n2\n3\n")
	succeeds(t, c, "edit_file", args{"path": "latin1.txt", "old_text": "one", "new_text": "two"}, "Changed")
	holds(t, dir, "latin1.txt", "caf\xe9 two\n")

	for _, content := range []string{"two\n", "\ufefftwo\n"} {
		succeeds(t, c, "write_file", args{"path": "marked.txt", "content": content}, "")
		holds(t, dir, "marked.txt", "\ufefftwo\r\n")
	}
	succeeds(t, c, "edit_file", args{"path": "marked.txt", "old_text": "two", "new_text": "three"}, "Changed")
	holds(t, dir, "marked.txt", "\ufeffthree\r\n")

	for name, want := range map[string]string{
		"p.png": `"p.png" is not UTF-8 text (image/png) and cannot be changed`, "zero.txt": `"zero.txt" is not UTF-8 text`,
		"wide.txt": "utf-16", "big.txt": `"big.txt" has 11534336 bytes, more than 10485760`,
	} {
		fails(t, c, "write_file", args{"path": name, "content": "x"}, want)
		fails(t, c, "edit_file", args{"path": name, "old_text": "x", "new_text": "y"}, want)
	}
	fails(t, c, "write_file", args{"path": "a.bin", "content": "a\x00b"}, "NUL")
	fails(t, c, "edit_file", args{"path": "run.sh", "old_text": "exit", "new_text": "\x00"}, "NUL")
	fails(t, c, "write_file", args{"path": "b.txt", "content": strings.Repeat("x", 11<<20)},
		"content has 11534336 bytes, more than 10485760")
	holds(t, dir, "p.png", png)
}

func TestWriteProtectedFileIsNotReplaced(t *testing.T) {
	s, dir := writable(t, map[string]string{"f.txt": "old\n"})
	must(t, os.Chmod(filepath.Join(dir, "f.txt"), 0o444))
	c := connect(t, s)
	const want = `"f.txt" cannot be changed: permission denied`
	for tool, given := range map[string]args{
		"write_file": {"path": "f.txt", "content": "new\n"},
		"edit_file":  {"path": "f.txt", "old_text": "old", "new_text": "new"},
	} {
		if _, _, err := preview(t, s, tool, given); err == nil || err.Error() != want {
			t.Errorf("the preview of %s says %v", tool, err)
		}
		fails(t, c, tool, given, want)
	}
	holds(t, dir, "f.txt", "old\n")
}

// FuzzEdit checks that the preview shows what the call does.
func FuzzEdit(f *testing.F) {
	f.Add("one\ntwo\n", "two", "2")
	f.Add("one\r\ntwo\r\n", "one\ntwo", "1\n2")
	f.Add("a\n\n\nb", "b", "")
	f.Fuzz(func(t *testing.T, content, old, replaced string) {
		s, dir := writable(t, map[string]string{"f": content})
		given := args{"path": "f", "old_text": old, "new_text": replaced}
		diff, _, err := preview(t, s, "edit_file", given)
		answer, failed := call(t, connect(t, s), "edit_file", given)
		if failed != (err != nil) {
			t.Fatalf("preview says %v, the call %q", err, answer)
		}
		after, readErr := os.ReadFile(filepath.Join(dir, "f"))
		if readErr != nil || failed && string(after) != content {
			t.Fatalf("a failed edit left %q of %q, %v", after, content, readErr)
		}
		if failed || strings.Contains(content+string(after), "\r") {
			return // the diff may hide line endings
		}
		if !isAbout(diff, '-', content) || !isAbout(diff, '+', string(after)) {
			t.Errorf("%q is shown for what made %q of %q", diff, after, content)
		}
	})
}

// isAbout reports whether the lines of a diff with a sign, or without one, are lines of text in this order.
func isAbout(diff string, sign byte, text string) bool {
	lines := strings.Split(text, "\n")
	_, hunks, _ := strings.Cut(diff, "\n@@")
	for line := range strings.SplitSeq(hunks, "\n") {
		isRange := strings.HasPrefix(line, " -") && strings.HasSuffix(line, "@@")
		if line == "" || line[0] != sign && line[0] != ' ' || isRange {
			continue
		}
		at := slices.Index(lines, line[1:])
		if at < 0 {
			return false
		}
		lines = lines[at+1:]
	}
	return true
}
