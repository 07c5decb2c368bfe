package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/internal/theme"
	"github.com/aloudchat/aloud/provider/providertest"
)

// themed returns a chat with two themes and an error about a third. Its answer has a heading.
func themed() Options {
	o := with(says(providertest.Reply{{Text: "# Tea\n\nIt is hot."}}))
	o.Around.File = "/a/config.toml"
	o.Themes = func() ([]theme.Theme, error) {
		return []theme.Theme{{Name: "sea", About: "blue", Accent: "#010203"}, {Name: "Sand", Accent: "#040506"}},
			errors.New("mud.toml:1:1: unknown key")
	}
	return o
}

// The accents of the two themes, and of the one for dark backgrounds.
const sea, sand, dark = "38;2;1;2;3m", "38;2;4;5;6m", "38;2;127;209;216m"

func (d *driver) accent(want string) {
	d.t.Helper()
	content := d.m.View().Content
	for _, accent := range []string{sea, sand, dark} {
		if got := strings.Contains(content, accent); got != (accent == want) {
			d.t.Fatalf("the screen has the accent %q: %v, want %q only", accent, got, want)
		}
	}
}

func TestThemeIsShownWhileYouChoose(t *testing.T) {
	drive(t, 100, 34, themed(), func(d *driver) {
		d.typeText("hello\n").wait(3 * time.Second)
		d.typeText("/theme\n").wait(time.Second)
		d.sees("Themes", "● auto", "sea", "blue", "Sand", "Mud.toml:1:1: unknown key", "buy oat milk")
		d.accent(dark)
		d.press("down")
		d.accent(sea)
		d.press("down", "down") // the last row
		d.accent(sand)
		d.press("esc")
		d.accent(dark)
		d.sees("It is hot.")
		d.seesNot("This chat has")
	})
}

func TestChosenThemeStays(t *testing.T) {
	drive(t, 100, 34, themed(), func(d *driver) {
		d.typeText("/theme\n").wait(time.Second)
		d.typeText("blue").press("enter")
		d.accent(sea)
		d.sees(`This chat has the theme "sea". To keep it, write theme = "sea" below [ui] in /a/config.toml`)
		d.send(tea.BackgroundColorMsg{})
		d.typeText("/theme\n").wait(time.Second)
		d.sees("● sea")
		d.press("up", "ctrl+c")
		d.accent(sea)
	})
}

func TestThemeByName(t *testing.T) {
	drive(t, 100, 34, themed(), func(d *driver) {
		d.typeText("/theme SAND\n").wait(time.Second)
		d.sees(`This chat has the theme "Sand".`)
		d.typeText("hello\n").wait(3 * time.Second)
		d.accent(sand)
		d.typeText("/theme auto\n").wait(time.Second)
		d.accent(dark)
	})
}

func TestUnknownThemeSuggestsAnother(t *testing.T) {
	o := themed()
	o.Themes = func() ([]theme.Theme, error) { return []theme.Theme{{Name: "sea"}}, nil }
	drive(t, 100, 34, o, func(d *driver) {
		d.typeText("/theme see\n").sees(`Unknown theme "see": did you mean "sea"?`)
		d.typeText("/theme mountain\n").sees(`Unknown theme "mountain": /theme lists all themes`)
	})
}

func TestThemeSaysThatColoursAreOff(t *testing.T) {
	for _, command := range []string{"/theme\n", "/theme sea\n"} {
		drive(t, 80, 24, themed(), func(d *driver) {
			d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
			d.typeText(command).sees("Colours are off: NO_COLOR is set, or the terminal has none")
		})
	}
}

func TestConfiguredThemeIsInTheFirstFrame(t *testing.T) {
	o := themed()
	o.Theme = &theme.Theme{Name: "sea", Accent: "#010203"}
	drive(t, 80, 24, o, func(d *driver) { d.accent(sea) })
}
