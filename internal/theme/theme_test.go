package theme_test

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/internal/theme"
)

// TestBuiltInThemesAreReadable checks the contrast of every text on its backgrounds, as WCAG defines it. The terminal's
// own background is the one of the usual ones that is worst. Rules and borders have no meaning: 3 is enough for them.
func TestBuiltInThemesAreReadable(t *testing.T) {
	own := map[bool][2]theme.Color{true: {"#cccccc", "#1e1e1e"}, false: {"#333333", "#f5f5f5"}} // text, background
	for _, name := range theme.BuiltIn() {
		c, ok := theme.Named(name)
		switch {
		case !ok || c.About == "":
			t.Fatalf("the theme %q cannot be read: %+v", name, c)
		case name == "terminal":
			continue // the terminal's settings decide
		}
		isDark, least := !strings.Contains(name, "light"), 4.5
		text, ground := own[isDark][0], own[isDark][1]
		if name == "high-contrast" {
			least = 7
		}
		b := c.Background
		signs := []theme.Color{text, c.Dim, c.OK, c.Warn, c.Error}
		for back, colors := range map[theme.Color][]theme.Color{
			ground:     append(signs, c.Accent, c.User, c.Code),
			b.Question: append(signs, c.User, c.Accent),
			b.Code:     append(signs, c.Accent, c.User, c.Keyword, c.String, c.Comment),
			b.Added:    {text, c.Dim, c.OK}, b.Removed: {text, c.Dim, c.Error},
		} {
			for _, color := range colors {
				if got := contrast(t, color, back); got < least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, less than %v", name, color, back, got, least)
				}
			}
		}
		if got := contrast(t, c.Faint, ground); got < 3 {
			t.Errorf("%s: rules have a contrast of %.2f, less than 3", name, got)
		}
	}
}

// contrast returns the contrast of two colours by WCAG 2.2: 1 to 21.
func contrast(t *testing.T, a, b theme.Color) float64 {
	t.Helper()
	light := []float64{luminance(t, a), luminance(t, b)}
	return (slices.Max(light) + 0.05) / (slices.Min(light) + 0.05)
}

func luminance(t *testing.T, c theme.Color) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(string(c[1+2*i:3+2*i]), 16, 8)
		if err != nil {
			t.Fatalf("%q is no colour", c)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// TestGreysAreNeutralIn256Colours checks that a terminal with 256 colours does not show a grey in a colour, or a
// removed line in grey.
func TestGreysAreNeutralIn256Colours(t *testing.T) {
	for _, name := range theme.BuiltIn()[:5] {
		c, _ := theme.Named(name)
		for role, grey := range map[theme.Color]bool{
			c.Dim: true, c.Faint: true, c.Comment: true, c.Background.Question: true, c.Background.Code: true,
			c.Background.Added: false, c.Background.Removed: false,
		} {
			r, g, b, _ := colorprofile.ANSI256.Convert(lipgloss.Color(string(role))).RGBA()
			if (r == g && g == b) != grey {
				t.Errorf("%s: %s has red %d, green %d and blue %d of 255", name, role, r>>8, g>>8, b>>8)
			}
		}
	}
}

// TestColorCheck checks which texts are colours.
func TestColorCheck(t *testing.T) {
	right := []theme.Color{"", "0", "15", "255", "#7fd1d8", "#7FD1D8"}
	wrong := []theme.Color{"red", "256", "-1", "007", "#7fd1d", "#7fd1dg", "#7fd1d8 ", "\x1b[31m"}
	for isColor, all := range map[bool][]theme.Color{true: right, false: wrong} {
		for _, color := range all {
			if err := color.Check(); (err == nil) != isColor {
				t.Errorf("Check of %q returns %v", color, err)
			}
		}
	}
}

// TestTagsAreNames checks that the built-in themes, which are read without tags, set what the tags say.
func TestTagsAreNames(t *testing.T) {
	roles := 0
	for _, in := range []reflect.Type{reflect.TypeFor[theme.Theme](), reflect.TypeFor[theme.Background]()} {
		for f := range in.Fields() {
			if key := f.Tag.Get("key"); key != "" && !strings.EqualFold(key, f.Name) {
				t.Errorf("%s has the key %q", f.Name, key)
			}
			if f.Type == reflect.TypeFor[theme.Color]() {
				roles++
			}
		}
	}
	if roles > 16 {
		t.Errorf("a theme has %d roles, more than 16", roles)
	}
}
