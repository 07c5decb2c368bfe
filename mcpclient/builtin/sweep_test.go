package builtin_test

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// Only drafts of killed processes are removed, and only by a server that changes files.
func TestDraftsOfKilledProcessesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	draft := func() string { return ".aloud-" + rand.Text() }
	stays := []string{".aloud-notes", "x" + draft(), draft() + ".txt", "sub/" + draft() + "/file"}
	for _, name := range append(stays, draft(), "sub/"+draft(), "sub/.deep/"+draft()) {
		write(t, dir, name, "text")
		must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	stays = append(stays, draft())
	write(t, dir, stays[len(stays)-1], "being written")
	files := func() (all []string) {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				all = append(all, name)
			}
			return err
		})
		must(t, err)
		return all
	}
	before := files()
	c := connect(t, open(t, "files", builtin.Options{Dir: dir, Write: true}))
	succeeds(t, c, "list_directory", nil, "sub/")
	if got := files(); !slices.Equal(got, before) {
		t.Errorf("a server that only reads left %q", got)
	}
	succeeds(t, c, "write_file", args{"path": "new", "content": "text"}, "new")
	stays = append(stays, "new")
	slices.Sort(stays)
	if got := files(); !slices.Equal(slices.Sorted(slices.Values(got)), stays) {
		t.Errorf("left are %q, want %q", got, stays)
	}
}
