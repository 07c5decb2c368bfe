package atomicfile

import (
	"context"
	"os"
	"path"
	"strings"
	"time"
)

// draftPrefix begins the name of a draft. rand.Text is the rest.
const draftPrefix = ".aloud-"

// isDraft reports whether a file has the name of a draft.
func isDraft(name string) bool {
	random, ok := strings.CutPrefix(name, draftPrefix)
	return ok && len(random) == 26 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Sweep removes drafts that killed processes left in root before a time. It looks at most at this many entries, those
// at the top first, and stops when ctx ends.
func Sweep(ctx context.Context, root *os.Root, before time.Time, most int) {
	for folders := []string{"."}; len(folders) > 0 && most > 0 && ctx.Err() == nil; folders = folders[1:] {
		folder, err := root.Open(folders[0])
		if err != nil {
			continue
		}
		entries, _ := folder.ReadDir(most)
		folder.Close()
		most -= len(entries)
		for _, e := range entries {
			name := path.Join(folders[0], e.Name())
			if e.IsDir() {
				folders = append(folders, name)
			} else if e.Type().IsRegular() && isDraft(e.Name()) {
				if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
					_ = root.Remove(name)
				}
			}
		}
	}
}
