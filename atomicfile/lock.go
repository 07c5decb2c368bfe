package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// lockPause is how often a lock that somebody else has is tried again: no system tells when it is free.
const lockPause = 10 * time.Millisecond

// Lock waits until nobody else has the lock at path, in this program or another, or ctx's end. The file at path is empty and stays: it is made
// when it is not there, with a folder for it, for its owner only. A lock ends with its program.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	again := time.NewTicker(lockPause)
	defer again.Stop()
	for {
		free, err := tryLock(f)
		if free {
			return func() { f.Close() }, nil
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}
