package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

func TestLinkOverRows(t *testing.T) {
	const address = "https://example.com/a/long/address"
	r := markdown.NewRenderer(20, ansi.WcWidth, markdown.Dark())
	r.Write(address)
	rows := r.Close()
	for _, row := range rows {
		if !strings.Contains(row, "\x1b]8;;"+address+"\x1b\\") {
			t.Errorf("the row %q does not lead to the address", row)
		}
	}
	if got := ansi.Strip(strings.Join(rows, "")); got != address {
		t.Errorf("the rows show %q", got)
	}
}

// The library measures a digit with a mark, such as 1️⃣, as one cell when it breaks rows, and as two afterwards.
func TestRowsWithKeycapsFit(t *testing.T) {
	const text = "界1️⃣2️⃣ 🇩🇪 #️⃣ ❤️‍🔥 é1️⃣"
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for width := 2; width < 20; width++ {
		for name, rows := range map[string][]string{
			"wrapped": markdown.Wrap(text, width, ansi.GraphemeWidth), "chopped": markdown.Chop(text, width, ansi.GraphemeWidth),
			"clipped": {markdown.Clip(text, width, "…", ansi.GraphemeWidth)},
		} {
			for _, row := range rows {
				if w := ansi.GraphemeWidth.StringWidth(row); w > width {
					t.Errorf("%s at %d, the row %q is %d cells wide", name, width, row, w)
				}
			}
			if got := squeeze(strings.Join(rows, "")); name != "clipped" && got != squeeze(text) {
				t.Errorf("%s at %d, it becomes %q", name, width, got)
			}
		}
	}
}
