package atomicfile_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

func TestSweepStopsWithContext(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	draft := filepath.Join(dir, ".aloud-"+rand.Text())
	must(t, os.WriteFile(draft, nil, 0o600))
	soon := time.Now().Add(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	atomicfile.Sweep(ctx, root, soon, 10)
	if _, err := os.Stat(draft); err != nil {
		t.Errorf("after the context has ended: %v", err)
	}
	atomicfile.Sweep(t.Context(), root, soon, 10)
	if _, err := os.Stat(draft); !os.IsNotExist(err) {
		t.Errorf("the draft is left: %v", err)
	}
}
