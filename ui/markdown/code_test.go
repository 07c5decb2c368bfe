package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// onDots is a style whose background is dots.
func onDots() Style {
	return Style{Ground: func(row string, to int) string {
		return row + strings.Repeat(".", max(0, to-ansi.StringWidth(row)))
	}}
}

func TestCodeOnBackgroundHasLanguageInCorner(t *testing.T) {
	r := NewRenderer(20, ansi.WcWidth, onDots())
	got := ansi.Strip(strings.Join(written(r, "```go\nx := 1\n\ny()\n```\n```\nz\n```\n- a\n  ```c\n  b\n  ```"), "\n"))
	want := `
                 go.
  x := 1............
....................
  y()...............

  z.................

• a
                  c.
    b...............`
	if "\n"+got != want {
		t.Errorf("got:\n%s\nwant:%s", got, want)
	}
}

func TestWrappedCodeHasMark(t *testing.T) {
	r := NewRenderer(22, ansi.WcWidth, Style{})
	code := "0123456789 123456789\n    12345678 123456789 1234567\n    0123456789012345678\n日本語日本語日本語日本語\nx"
	got := ansi.Strip(strings.Join(written(r, "```\n"+code+"\n```"), "\n"))
	want := `
  0123456789 123456789
      12345678       ↩
  123456789 1234567
      01234567890123 ↩
  45678
  日本語日本語日本語 ↩
  日本語
  x`
	if "\n"+got != want {
		t.Errorf("got:\n%s\nwant:%s", got, want)
	}
	r = NewRenderer(12, ansi.WcWidth, Style{})
	if got := strings.Join(written(r, "```\n0123456789 123\n```"), "\n"); strings.Contains(got, "↩") {
		t.Errorf("a mark takes cells from a narrow screen:\n%s", got)
	}
}
