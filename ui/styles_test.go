package ui

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/markdown"
)

func TestGreysStayGreyIn256Colours(t *testing.T) {
	for name, c := range map[string]color.Color{
		"dim on dark":       newStyles(true).dim.GetForeground(),
		"dim on light":      newStyles(false).dim.GetForeground(),
		"faint on dark":     newStyles(true).faint.GetForeground(),
		"faint on light":    newStyles(false).faint.GetForeground(),
		"quotes on dark":    lipgloss.Color(markdown.Dark().Quote),
		"quotes on light":   lipgloss.Color(markdown.Light().Quote),
		"comments on dark":  lipgloss.Color(markdown.Dark().Comment),
		"comments on light": lipgloss.Color(markdown.Light().Comment),
		"rules on dark":     lipgloss.Color(markdown.Dark().Rule),
		"rules on light":    lipgloss.Color(markdown.Light().Rule),
	} {
		if r, g, b, _ := colorprofile.ANSI256.Convert(c).RGBA(); r != g || g != b {
			t.Errorf("%s is shown as #%02x%02x%02x", name, r>>8, g>>8, b>>8)
		}
	}
}

func TestOnlyErrorsAreRedIn16Colours(t *testing.T) {
	red := []color.Color{ansi.Red, ansi.BrightRed}
	dark := newStyles(true)
	if got := colorprofile.ANSI.Convert(dark.err.GetForeground()); !slices.Contains(red, got) {
		t.Errorf("errors are %v", got)
	}
	for name, c := range map[string]color.Color{
		"warnings": dark.warn.GetForeground(), "code": dark.code.GetForeground(), "code in answers": lipgloss.Color(markdown.Dark().Code),
		"numbers": lipgloss.Color(markdown.Dark().Number), "keys": dark.accent.GetForeground(), "the person": dark.user.GetForeground(),
	} {
		if got := colorprofile.ANSI.Convert(c); slices.Contains(red, got) {
			t.Errorf("%s are red", name)
		}
	}
}

func TestWithoutColours(t *testing.T) {
	drive(t, 80, 24, with(says(provider.Reply{{Text: "# Title\n\nSay `this`:\n\n```go\nfunc main() {}\n```\n"}})), func(d *driver) {
		d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		d.typeText("hello\n")
		d.wait(5 * time.Second)
		d.sees("Title", "Say `this`:", "func main() {}")
		if screen := d.m.View().Content; strings.Contains(screen, "38;") {
			t.Errorf("there are colours on the screen: %q", screen)
		}
	})
	faint := monoStyles().dim.Render("x")
	if !strings.Contains(faint, "\x1b[2m") {
		t.Errorf("what explains is %q, not faint", faint)
	}
}
