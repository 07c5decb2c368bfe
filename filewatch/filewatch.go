// Package filewatch reports changes of a file.
package filewatch

import (
	"context"
	"os"
	"time"
)

// pause is the time between two looks. Polling finds what file system events may miss: a file that an editor replaced,
// one behind a link or on a network file system, or one in a folder that was not there yet. Its cost cannot be measured.
const pause = time.Second

// Changes is an iterator that yields whenever the file at path was written, replaced, made or removed, until ctx ends. It
// waits until a file that is being written stays the same; many changes at once are one.
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

// file is the result of a look; nil if there is no file, or it cannot be examined.
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
