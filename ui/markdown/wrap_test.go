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
