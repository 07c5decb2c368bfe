package look

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// On the narrowest screens a line has no number, and all of its text.
func TestDiffFitsEveryWidth(t *testing.T) {
	const text = "abcdefghijklmnopq"
	st := New(nil)
	for width := 1; width < 30; width++ {
		var shown strings.Builder
		for _, row := range st.Diff("--- a\n+++ b\n@@ -1000,2 +1000,2 @@\n-x\n+"+text+"\n\\ No newline\n", width) {
			if w := ansi.StringWidth(row); w > width {
				t.Errorf("at %d a row is %d cells wide: %q", width, w, row)
			}
			shown.WriteString(strings.Trim(ansi.Strip(row), " +"))
		}
		if width > 1 && !strings.Contains(shown.String(), text) {
			t.Errorf("at %d the line is %q", width, shown.String())
		}
	}
}
