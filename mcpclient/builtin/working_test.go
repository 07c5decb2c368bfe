package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// folderOf returns a folder with files, and a link to another one beside it.
func folderOf(t *testing.T, files map[string]string) (f builtin.Folder, dir string) {
	t.Helper()
	all := filepath.Join(t.TempDir(), "all")
	dir = filepath.Join(all, "here")
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)))
	}
	must(t, os.WriteFile(filepath.Join(all, "out.txt"), []byte("outside"), 0o600))
	f, err := builtin.OpenFolder(builtin.Options{Dir: dir})
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f, dir
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Logf("this system has no links: %v", err)
	}
}

func TestNamesOfWorkingFolder(t *testing.T) {
	files := map[string]string{"b.md": "", "a/deep.go": "", "a/x.log": "", ".gitignore": "*.log\n", ".env": "",
		".git/config": "", ".github/ci.yml": "", "node_modules/x.js": "", "server.key": "", "two words": ""}
	if runtime.GOOS != "windows" {
		files["odd\"name"] = ""
	}
	f, _ := folderOf(t, files)
	for hidden, want := range map[bool]string{
		false: "a/,b.md,two words,a/deep.go",
		true:  ".env,.github/,.gitignore,a/,b.md,server.key,two words,.github/ci.yml,a/deep.go",
	} {
		if got := strings.Join(slices.Collect(f.Names(t.Context(), hidden)), ","); got != want {
			t.Errorf("hidden %v: got %s, want %s", hidden, got, want)
		}
	}
}

func TestLocateSaysWhyToAsk(t *testing.T) {
	f, dir := folderOf(t, map[string]string{"b.md": "", "a/deep.go": "", ".env": "", "a/id_rsa": ""})
	link(t, "b.md", filepath.Join(dir, "inner"))
	link(t, "../out.txt", filepath.Join(dir, "outer"))
	link(t, filepath.Join("a", "id_rsa"), filepath.Join(dir, "key.txt"))
	link(t, "nowhere", filepath.Join(dir, "broken"))
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	for name, want := range map[string]string{
		"b.md": "b.md", "./a/../b.md": "b.md", "a/deep.go": "a/deep.go", "a": "a", "a/": "a", dir + "/b.md": "b.md",
		"~/b.md": "b.md", ".": ".", "none": "", "b.md/x": "", "broken": "", "//host/share": "", "b\x00": "",
		"inner": "b.md is behind a link", "outer": "../out.txt is outside the current folder",
		"../out.txt": "../out.txt is outside the current folder", "..": ".. is outside the current folder",
		".env": ".env usually holds secrets", "key.txt": "a/id_rsa usually holds secrets",
		"../.ssh": "", "../missing": "",
	} {
		got := ""
		if real, why, ok := f.Locate(name); ok {
			root, _ := filepath.EvalSymlinks(dir)
			below, _ := filepath.Rel(root, real)
			got = strings.TrimSpace(filepath.ToSlash(below) + " " + why)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); got != want && (err == nil || want == "") {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestReadFileToAttach(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x01"
	f, dir := folderOf(t, map[string]string{"abc": "one\ntwo\nthree", "empty": "", "zip": "PK\x03\x04\x00", "a/x": "1",
		"wide": "\xff\xfeh\x00i\x00", "long": strings.Repeat("x", 100_000) + "\nsecond\n", "latin": "na\xefve",
		"big": strings.Repeat("0123456789abcde\n", 700_000), "line": strings.Repeat("x", 11_000_000), "a.png": png})
	must(t, os.MkdirAll(filepath.Join(dir, "none"), 0o700))
	for _, test := range []struct {
		name        string
		from, until int
		want        string
	}{
		{"abc", 0, 0, "one\ntwo\nthree\n"}, {"abc", 2, 2, "two\n"}, {"abc", 2, 99, "two\nthree\n"},
		{"abc", 4, 9, `"abc" has no line 4`}, {"empty", 0, 0, "[The file is empty.]"},
		{"empty", 2, 3, `"empty" has no line 2`},
		{"zip", 0, 0, `"zip" is not text (application/zip)`}, {"wide", 0, 0, "hi\n"}, {"latin", 0, 0, "na\ufffdve\n"},
		{"long", 2, 2, "second\n"}, {"big", 0, 0, `"big" has more than 10.5 MB. Attach some of its lines`},
		{"big", 699_999, 700_001, strings.Repeat("0123456789abcde\n", 2)},
		{"line", 0, 0, `"line" has a line of more than 10.5 MB`},
		{"a.png", 0, 0, "image " + png}, {"a.png", 1, 2, `"a.png" is not text (image/png)`},
		{"a", 0, 0, "x (1 bytes)\n"}, {"none", 0, 0, "[The folder is empty.]"},
	} {
		real, _, _ := f.Locate(test.name)
		got, image, err := f.Read(t.Context(), real, test.from, test.until)
		switch {
		case err != nil:
			got = err.Error()
		case image != nil:
			got += "image " + string(image)
		}
		if got != test.want {
			t.Errorf("%s from %d to %d: got %.80q, want %.80q", test.name, test.from, test.until, got, test.want)
		}
	}
}

func TestReadRefusesAFileThatWasReplacedByALink(t *testing.T) {
	f, dir := folderOf(t, map[string]string{"b.md": "mine", "a/x": "", "c/x": "secret"})
	file, _, _ := f.Locate("b.md")
	below, _, _ := f.Locate("a/x")
	must(t, errors.Join(os.Remove(file), os.RemoveAll(filepath.Dir(below))))
	link(t, "../out.txt", filepath.Join(dir, "b.md"))
	link(t, "c", filepath.Join(dir, "a"))
	for _, real := range []string{file, below} {
		if text, _, err := f.Read(t.Context(), real, 0, 0); err == nil {
			t.Errorf("%s: got %q", real, text)
		}
	}
}

func BenchmarkNamesOf10000Files(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		sub := filepath.Join(dir, fmt.Sprint("folder", i))
		if err := os.Mkdir(sub, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file_%d.go", j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	f, err := builtin.OpenFolder(builtin.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range f.Names(b.Context(), false) {
		}
	}
}
