//go:build unix

package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/atomicfile"
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

// Who keeps the files of the home folder elsewhere links to them before they are there.
func TestALinkToAFileThatIsNotThereYetStays(t *testing.T) {
	dir := t.TempDir()
	config, elsewhere := filepath.Join(dir, "config"), filepath.Join(dir, "elsewhere")
	link, second, target := filepath.Join(config, "link"), filepath.Join(elsewhere, "second"), filepath.Join(elsewhere, "new", "target")
	if err := errors.Join(os.Mkdir(elsewhere, 0o700), os.Symlink(elsewhere, config),
		os.Symlink("../elsewhere/second", link), os.Symlink(filepath.Join("new", "target"), second)); err != nil {
		t.Fatal(err)
	}
	write(t, link, "one")
	if text, err := os.ReadFile(target); err != nil || string(text) != "one" {
		t.Errorf("the target says %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

// Two dots in a link mean the folder above the one that the system is in by then, not the word before them.
func TestALinkThroughALinkLeadsWhereTheSystemSays(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "real", "target")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o700), os.Symlink(filepath.Join("real", "deep"), filepath.Join(dir, "short")),
		os.Symlink("short/../target", link)); err != nil {
		t.Fatal(err)
	}
	write(t, link, "one")
	if text, err := os.ReadFile(target); err != nil || string(text) != "one" {
		t.Errorf("the target says %q, %v", text, err)
	}
}

func TestLinksThatLeadNowhereStay(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := errors.Join(os.Symlink(two, one), os.Symlink(one, two)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(one, []byte("text")); err == nil {
		t.Error("a link was replaced")
	}
	if to, err := os.Readlink(one); err != nil || to != two {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}
