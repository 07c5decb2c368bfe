package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock waits until no one else has the lock at path, in this program or another, or until ctx ends. The file at path is
// empty and stays; Lock makes it and its folder, for their owner only. A lock ends with its program.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	const pause = 10 * time.Millisecond // no system tells when a lock is free
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, pause); err != nil {
		return nil, err
	}
	return func() { lock.Close() }, nil
}
