package elicit

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Root is a folder that servers are told they may work in.
type Root struct {
	URI    string `json:"uri"` // file://…
	Name   string `json:"name,omitempty"`
	Folder string `json:"-"` // its path
}

// RootOf returns the root of a folder, which must exist; a leading ~ is the home folder, as in a shell. The error is one sentence.
func RootOf(folder string) (Root, error) {
	path := folder
	if rest, ok := strings.CutPrefix(folder, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return Root{}, fmt.Errorf("the folder %q cannot be found: %w", folder, err)
	}
	info, err := os.Stat(whole)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Root{}, fmt.Errorf("there is no folder %q", folder)
	case err != nil:
		return Root{}, fmt.Errorf("the folder %q cannot be looked at: %w", folder, err)
	case !info.IsDir():
		return Root{}, fmt.Errorf("%q is a file: write the folder that it is in", folder)
	}
	path = filepath.ToSlash(whole)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return Root{URI: (&url.URL{Scheme: "file", Path: path}).String(), Name: filepath.Base(whole), Folder: whole}, nil
}
