package cli

import (
	"context"
	"os"
	"time"
)

// lookPause is the time between two looks. Polling finds what file system events may miss: a file that an editor replaced,
// one behind a link or on a network file system, or one in a folder that was not there yet. Its cost cannot be measured.
const lookPause = time.Second

// fileChanges is an iterator that yields whenever the file at path was written, replaced, made or removed, until ctx ends. It
// waits until a file that is being written stays the same; many changes at once are one.
func fileChanges(ctx context.Context, path string) func(yield func() bool) {
	return func(yield func() bool) {
		clock := time.NewTicker(lookPause)
		defer clock.Stop()
		known := lookAt(path)
		for last := known; ; {
			select {
			case <-clock.C:
			case <-ctx.Done():
				return
			}
			now := lookAt(path)
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

// fileLook is the result of a look; nil if there is no file, or it cannot be examined.
type fileLook struct{ os.FileInfo }

func lookAt(path string) fileLook {
	info, err := os.Stat(path)
	if err != nil {
		return fileLook{}
	}
	return fileLook{info}
}

func (f fileLook) same(as fileLook) bool {
	if f.FileInfo == nil || as.FileInfo == nil {
		return f.FileInfo == nil && as.FileInfo == nil
	}
	return os.SameFile(f.FileInfo, as.FileInfo) && f.ModTime().Equal(as.ModTime()) && f.Size() == as.Size()
}
