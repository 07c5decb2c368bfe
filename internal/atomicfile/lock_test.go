package atomicfile_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lock")
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			unlock, err := atomicfile.Lock(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if n := inside.Add(1); n != 1 {
				t.Errorf("%d goroutines have the lock", n)
			}
			inside.Add(-1)
		})
	}
	all.Wait()
}

func TestLockCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := atomicfile.Lock(t.Context(), path)
	must(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := atomicfile.Lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
