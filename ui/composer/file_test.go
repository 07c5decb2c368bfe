package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestHistoryFileStaysShort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for i := range 2 * historyLength {
		if err := AppendHistory(file, fmt.Sprint("entry ", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		entries, err := ReadHistory(file)
		if err != nil || len(entries) != historyLength || entries[0] != "entry 1000" {
			t.Fatalf("%d entries from %q, %v", len(entries), entries[0], err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() > 20_000 {
		t.Errorf("the file is %v, %v", info, err)
	}
}
