package endpoint

import (
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
)

// TestSizes has the errors of real servers.
func TestSizes(t *testing.T) {
	for _, row := range tabletest.Read(t, "sizes.txt") {
		tokens, window := Sizes(row[2])
		if fmt.Sprint(tokens) != row[0] || fmt.Sprint(window) != row[1] {
			t.Errorf("%q has the sizes %d and %d, want %s and %s", row[2], tokens, window, row[0], row[1])
		}
	}
}
