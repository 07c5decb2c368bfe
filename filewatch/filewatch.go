// Package filewatch tells when a file has become another one.
package filewatch

import (
	"context"
	"os"
	"time"
)

// pause is between two looks. Looking finds what an event of the system may not tell: a file that an editor has put in the place of the old
// one, behind a link, on a file system of another machine, or in a folder that was not there yet. It costs nothing that can be measured.
const pause = time.Second

// Changes is an iterator that goes on whenever the file at path was written, replaced, made or removed, until ctx ends. A file that is being
// written is left alone until it stands still; many changes at once are one.
func Changes(ctx context.Context, path string) func(yield func() bool) {
	return func(yield func() bool) {
		clock := time.NewTicker(pause)
		defer clock.Stop()
		known := look(path)
		for last := known; ; {
			select {
			case <-clock.C:
			case <-ctx.Done():
				return
			}
			now := look(path)
			still := now.same(last)
			last = now
			if !still || now.same(known) {
				continue
			}
			if known = now; !yield() {
				return
			}
		}
	}
}

// file is what a look tells; nil: there is none, or it may not be looked at.
type file struct{ os.FileInfo }

func look(path string) file {
	info, err := os.Stat(path)
	if err != nil {
		return file{}
	}
	return file{info}
}

func (f file) same(as file) bool {
	if f.FileInfo == nil || as.FileInfo == nil {
		return f.FileInfo == nil && as.FileInfo == nil
	}
	return os.SameFile(f.FileInfo, as.FileInfo) && f.ModTime().Equal(as.ModTime()) && f.Size() == as.Size()
}
