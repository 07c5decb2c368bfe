package look

import (
	"image/color"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

func TestGreysStayGreyIn256Colours(t *testing.T) {
	for name, c := range map[string]color.Color{
		"dim on dark":       NewStyles(true).Dim.GetForeground(),
		"dim on light":      NewStyles(false).Dim.GetForeground(),
		"faint on dark":     NewStyles(true).Faint.GetForeground(),
		"faint on light":    NewStyles(false).Faint.GetForeground(),
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
	dark := NewStyles(true)
	if got := colorprofile.ANSI.Convert(dark.Err.GetForeground()); !slices.Contains(red, got) {
		t.Errorf("errors are %v", got)
	}
	for name, c := range map[string]color.Color{
		"warnings": dark.Warn.GetForeground(), "code in answers": lipgloss.Color(markdown.Dark().Code),
		"numbers": lipgloss.Color(markdown.Dark().Number), "keys": dark.Accent.GetForeground(), "the person": dark.User.GetForeground(),
	} {
		if got := colorprofile.ANSI.Convert(c); slices.Contains(red, got) {
			t.Errorf("%s are red", name)
		}
	}
}
