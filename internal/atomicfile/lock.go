package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock waits for the lock at path, which excludes other processes and other callers in this process, or until ctx
// ends. It creates path, an empty file, and its folder. A lock ends with its process.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	const pause = 10 * time.Millisecond // to poll
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, pause); err != nil {
		return nil, err
	}
	return func() { lock.Close() }, nil
}
