package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

// Text that would take quadratic time is not parsed.
func TestMarksBeyondALimitAreText(t *testing.T) {
	many := func(part string, n int) string { return strings.Repeat(part, n) }
	table := func(columns, rows int) string {
		return many("|a", columns) + "\n" + many("|-", columns) + "\n" + many("|b\n", rows)
	}
	for name, c := range map[string]struct{ few, many, mark string }{
		"open links":   {many("![", 90) + "a" + many("](b)", 90), many("![", 110) + "a" + many("](b)", 110), "!["},
		"closed links": {many("[a](b) ", 300), many("[", 110) + "[a](b)", "[a"},
		"quotations":   {many(">", 19) + " b", many(">", 30) + " b", ">"},
		"lists":        {many("- ", 49) + "b", many("- ", 60) + "b", "-"},
		"numbers":      {many("> ", 9) + "b", many("1. ", 60) + "b", "1. 1."},
		"cells":        {table(90, 90), table(110, 110), "|-|-"},
	} {
		for text, want := range map[string]bool{c.few: false, c.many: true} {
			r := markdown.NewRenderer(200, ansi.WcWidth, markdown.Dark())
			r.Write(text)
			rows := ansi.Strip(strings.Join(r.Close(), "\n"))
			if got := strings.Contains(rows, c.mark); got != want {
				t.Errorf("%s: %.40q with %d bytes shows %q: %v", name, text, len(text), c.mark, got)
			}
		}
	}
}

func TestHostileTextIsShown(t *testing.T) {
	for _, text := range hostile {
		checkLetters(t, strings.ReplaceAll(text[:min(len(text), 600)], "a", "ж"), 30, 1)
	}
}
