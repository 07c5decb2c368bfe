package provider_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestDiffCounts(t *testing.T) {
	for diff, want := range map[string][2]int{
		"": {0, 0},
		"--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+one\n++++ two\n":                                         {2, 0},
		"--- a\n+++ a\n@@ -1,2 +1 @@\n one\n--- two\n@@ -9 +8 @@\n-x\n+y\n\\ No newline at end of file\n": {1, 2},
	} {
		if added, removed := provider.DiffCounts(diff); added != want[0] || removed != want[1] {
			t.Errorf("%q: +%d -%d, want %v", diff, added, removed, want)
		}
	}
}
