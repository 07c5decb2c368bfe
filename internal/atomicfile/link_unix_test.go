//go:build unix

package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	write(t, target, "one")
	must(t, os.Symlink(target, link))
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
	must(t, errors.Join(os.Symlink(two, one), os.Symlink(one, two), os.Symlink(missing, dangling)))
	for link, target := range map[string]string{one: two, dangling: missing} {
		if err := atomicfile.Write(link, []byte("text")); err == nil {
			t.Errorf("%s was replaced", link)
		}
		if to, err := os.Readlink(link); err != nil || to != target {
			t.Errorf("the link leads to %q, %v", to, err)
		}
	}
}

func TestWriteKeepsOwnerAndMode(t *testing.T) {
	dir := t.TempDir()
	file, linked := filepath.Join(dir, "notes"), filepath.Join(dir, "linked")
	write(t, file, "old")
	write(t, linked, "old")
	must(t, os.Link(linked, linked+"2"))
	for _, file := range []string{file, linked} {
		if os.Getuid() == 0 { // only the superuser can give files away
			must(t, os.Chown(file, 1234, 5678))
		}
		must(t, os.Chmod(file, 0o750|os.ModeSetuid))
		want := stat(t, file)
		write(t, file, "new")
		got := stat(t, file)
		now, before := got.Sys().(*syscall.Stat_t), want.Sys().(*syscall.Stat_t)
		if now.Uid != before.Uid || now.Gid != before.Gid || got.Mode() != want.Mode() {
			t.Errorf("%v of %d:%d became %v of %d:%d", want.Mode(), before.Uid, before.Gid, got.Mode(), now.Uid, now.Gid)
		}
	}
}
