package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// lock waits for the lock of a file, which excludes changes by other aloud processes. The lock is not in the folder of
// the file, where it would be in the way. It is one of 256, so that they need no cleaning up.
func (f folder) lock(ctx context.Context, name string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(f.lockKey(name)))
	for _, dir := range lockDirs() {
		unlock, err = atomicfile.Lock(ctx, filepath.Join(dir, hex.EncodeToString(sum[:1])))
		if err == nil || ctx.Err() != nil {
			return unlock, err
		}
	}
	select {
	case inProcess <- struct{}{}:
		return func() { <-inProcess }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inProcess has an element while a change is made in a process that cannot write lock files. Changes by other processes
// are then only noticed right before a file is written.
var inProcess = make(chan struct{}, 1)

// lockKey returns a key that is the same for all names of a file.
func (f folder) lockKey(name string) string {
	if file, err := f.open(name); err == nil {
		defer file.Close()
		if id, links, err := atomicfile.ID(file); err == nil && links > 1 {
			return id
		}
	}
	return strings.ToLower(resolve(f.full(name))) // some file systems ignore case
}

// lockDirs returns the folders for locks, best first. The cache folder is the same for all processes of a user, but it
// may be missing or read-only.
func lockDirs() (dirs []string) {
	if dir, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(dir, "aloud", "locks"))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("aloud-locks-%d", os.Getuid())))
}
