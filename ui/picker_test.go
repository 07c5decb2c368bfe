package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

// TestWhatIsLookedForIsShort: the list is searched and drawn for each key, and what is at the end of a long path is seen while it is written.
func TestWhatIsLookedForIsShort(t *testing.T) {
	o := with(says())
	o.Roots = &folders{}
	drive(t, 40, 24, o, func(d *driver) {
		d.typeText("/roots\n")
		d.send(tea.PasteMsg{Content: strings.Repeat("long ", 1<<20)})
		d.wait(time.Millisecond)
		d.sees("Too long for this line: not pasted")
		d.seesNot("filter")
		d.send(tea.PasteMsg{Content: "/home/somebody/" + strings.Repeat("deep/", 20)})
		d.typeText("end")
		d.sees("filter …", "deep/end▏")
	})
}

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
