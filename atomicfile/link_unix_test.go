//go:build unix

package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/atomicfile"
)

func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	write(t, target, "one")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	write(t, link, "two")
	if text, err := os.ReadFile(target); err != nil || string(text) != "two" {
		t.Errorf("the target has %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

func TestWriteDanglingLink(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	dangling, missing := filepath.Join(dir, "dangling"), filepath.Join(dir, "missing")
	if err := errors.Join(os.Symlink(two, one), os.Symlink(one, two), os.Symlink(missing, dangling)); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{one: two, dangling: missing} {
		if err := atomicfile.Write(link, []byte("text")); err == nil {
			t.Errorf("%s was replaced", link)
		}
		if to, err := os.Readlink(link); err != nil || to != target {
			t.Errorf("the link leads to %q, %v", to, err)
		}
	}
}
