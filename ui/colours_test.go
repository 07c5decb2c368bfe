package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/ui/look"
)

func TestWithoutColours(t *testing.T) {
	drive(t, 80, 24, with(says(providertest.Reply{{Text: "# Title\n\nSay `this`:\n\n```go\nfunc main() {}\n```\n"}})),
		func(d *driver) {
			d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
			d.typeText("hello\n").wait(5 * time.Second)
			d.sees("Title", "Say `this`:", "func main() {}")
			if screen := d.m.View().Content; strings.Contains(screen, "38;") {
				t.Errorf("there are colours on the screen: %q", screen)
			}
		})
	faint := look.MonoStyles().Dim.Render("x")
	if !strings.Contains(faint, "\x1b[2m") {
		t.Errorf("what explains is %q, not faint", faint)
	}
}
