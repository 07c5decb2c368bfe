package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/theme"
)

// mostThemes is the maximum number of your themes.
const mostThemes = 100

// themesFolder returns the folder of your themes, next to the configuration file.
func themesFolder(path string) string { return filepath.Join(filepath.Dir(path), "themes") }

// themeNames returns the names of the built-in themes, then those of yours. A built-in theme cannot be replaced,
// because others are based on it.
func themeNames(path string) []string {
	names := theme.BuiltIn()
	var files []fs.DirEntry
	if path != "" { // it is known
		files, _ = os.ReadDir(themesFolder(path)) // usually there is none
	}
	for _, f := range files[:min(len(files), mostThemes)] {
		name, isTheme := strings.CutSuffix(f.Name(), ".toml")
		if isTheme && name != "" && name != theme.Auto && !slices.Contains(theme.BuiltIn(), name) {
			names = append(names, name)
		}
	}
	return names
}

// Themes returns the built-in themes and yours. It leaves out those with mistakes, which the error joins.
func (c *Config) Themes() ([]theme.Theme, error) {
	r := &reader{config: &Config{Path: c.Path}}
	var all []theme.Theme
	for _, name := range themeNames(c.Path) {
		before := len(r.mistakes)
		if t := r.theme(name); len(r.mistakes) == before {
			all = append(all, *t)
		}
	}
	return all, join(r.mistakes)
}

// theme reads a theme and notes the mistakes in it.
func (r *reader) theme(name string) *theme.Theme {
	if t, ok := theme.Named(name); ok {
		return &t
	}
	path := filepath.Join(themesFolder(r.config.Path), name+".toml")
	doc, err := parseTheme(path)
	if err != nil {
		r.mistakes = append(r.mistakes, err)
		return nil
	}
	own := &reader{config: &Config{origins: map[string]string{}}, doc: doc, themeNames: theme.BuiltIn()}
	file := &table{reader: own, values: doc.values}
	base, _ := doc.values["base"].(string)
	t, _ := theme.Named(cmp.Or(base, "dark"))
	t.About = ""
	file.fill(&t)
	t.Name = name
	r.mistakes = append(r.mistakes, own.mistakes...)
	return &t
}

// parseTheme reads the file of a theme.
func parseTheme(path string) (*document, *Error) {
	text, err := readRegular(path)
	if err != nil {
		const text = "cannot read theme %q: %v. Choose another one"
		return nil, &Error{Text: fmt.Sprintf(text, path, atomicfile.Cause(err)), Err: err}
	}
	doc, err := parse(path, text)
	if mistake, ok := errors.AsType[*Error](err); ok {
		return nil, mistake
	}
	return doc, nil
}
