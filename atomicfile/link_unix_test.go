//go:build unix

package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"
)

// Windows lets few people make links.
func TestALinkStays(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	write(t, target, "one")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	write(t, link, "two")
	if text, err := os.ReadFile(target); err != nil || string(text) != "two" {
		t.Errorf("the target says %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}
