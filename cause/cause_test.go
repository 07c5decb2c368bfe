package cause_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/cause"
)

func TestOnlyWhatTheSystemSaysIsLeft(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	_, open := os.Open(gone)
	for _, err := range []error{open, fmt.Errorf("read: %w", open), os.Rename(gone, gone+"2")} {
		if got := cause.Of(err); got.Error() == err.Error() || !errors.Is(got, fs.ErrNotExist) {
			t.Errorf("of %q there is %q", err, got)
		}
	}
	if other := errors.New("no file at all"); !errors.Is(cause.Of(other), other) {
		t.Errorf("of %q there is %q", other, cause.Of(other))
	}
	if got := cause.Of(nil); got != nil {
		t.Errorf("of nothing there is %q", got)
	}
}
