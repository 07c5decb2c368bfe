package ui

import (
	"os"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

// TestMain keeps the clock alive that the regular expressions of the highlighter share. It stands still a second after the last match, and
// when the next one is made on fake time it starts anew there, in a goroutine that a synctest bubble would wait for in vain.
func TestMain(m *testing.M) {
	highlight := func() {
		draw := markdown.NewRenderer(80, ansi.WcWidth, markdown.Dark())
		draw.Render(markdown.Block{Kind: markdown.Code, Lang: "go", Source: "var x = 1"})
	}
	highlight()
	go func() {
		for range time.Tick(time.Second / 2) {
			highlight()
		}
	}()
	os.Exit(m.Run())
}
