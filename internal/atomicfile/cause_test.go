package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

func TestCause(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	_, open := os.Open(gone)
	for _, err := range []error{open, fmt.Errorf("read: %w", open), os.Rename(gone, gone+"2")} {
		if got := atomicfile.Cause(err); got.Error() == err.Error() || !errors.Is(got, fs.ErrNotExist) {
			t.Errorf("the cause of %q is %q", err, got)
		}
	}
	if other := errors.New("no file at all"); !errors.Is(atomicfile.Cause(other), other) {
		t.Errorf("the cause of %q is %q", other, atomicfile.Cause(other))
	}
}
