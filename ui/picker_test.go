package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

func TestRowsFitHoweverTheTerminalMeasures(t *testing.T) {
	family := strings.Repeat("👩‍👩‍👧 日本 e\u0301 ", 10)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		st := &look.Look{Styles: look.NewStyles(true), Method: method}
		for width := 1; width < 60; width++ {
			p := picker{title: family, rows: []row{{label: family, detail: family}}}
			for _, row := range p.view(width, 10, st) {
				if got := method.StringWidth(row); got > max(width, 8) {
					t.Errorf("method %v: %q is %d cells wide, not %d", method, row, got, width)
				}
			}
		}
	}
}
