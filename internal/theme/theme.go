// Package theme has the colours of the screen by role, and the built-in themes.
package theme

import (
	"embed"
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Auto names no theme: the screen is dark or light, as the background of the terminal is.
const Auto = "auto"

// Color is "#rrggbb", the number of one of the terminal's 256 colours, or "" for the terminal's own.
type Color string

var color = sanitize.Pattern(`^(#[0-9A-Fa-f]{6}|[1-9]?\d|1\d\d|2[0-4]\d|25[0-5]|)$`)

// Check returns an error that continues a sentence about c, unless c is a colour.
func (c Color) Check() error {
	if color().MatchString(string(c)) {
		return nil
	}
	const right = `is %q; it must be a colour like "#7fd1d8", a number from "0" to "255", or "" for the terminal's own`
	return fmt.Errorf(right, string(c))
}

// Theme has the colours of the screen by role. Ordinary text keeps the terminal's own colour. The tags are those of the
// package config. Those of the built-in files need none, because their keys are the names of the fields.
type Theme struct {
	Name string

	About string `key:"about"`           // a few words for the list of themes
	Base  string `key:"base" is:"theme"` // has the colours that are missing

	Accent Color `key:"accent"` // headings, active and chosen text, and types in code
	User   Color `key:"user"`   // what you said, links, and functions in code
	OK     Color `key:"ok"`
	Warn   Color `key:"warn"` // also numbers in code
	Error  Color `key:"error"`
	Dim    Color `key:"dim"`   // thinking, receipts, hints, quotes
	Faint  Color `key:"faint"` // rules and borders, which have no meaning

	Code    Color `key:"code"` // within a line
	Keyword Color `key:"keyword"`
	String  Color `key:"string"`
	Comment Color `key:"comment"`

	Background Background `key:"background"`
}

// Background has the backgrounds of whole rows.
type Background struct {
	Question Color `key:"question"`
	Code     Color `key:"code"`
	Added    Color `key:"added"`
	Removed  Color `key:"removed"`
}

//go:embed *.toml
var files embed.FS

// BuiltIn returns the names of the built-in themes.
func BuiltIn() []string {
	return []string{"dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light", "terminal"}
}

// Named returns a built-in theme; ok is false if there is none with that name.
func Named(name string) (t Theme, ok bool) {
	text, err := files.ReadFile(name + ".toml")
	if err == nil {
		err = toml.Unmarshal(text, &t)
	}
	t.Name = name
	return t, err == nil
}

// NameOf returns the name of a theme, "auto" for nil.
func NameOf(t *Theme) string {
	if t == nil {
		return Auto
	}
	return t.Name
}
