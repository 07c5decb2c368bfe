package elicit

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Root is a folder shared with servers.
type Root struct {
	URI    string `json:"uri"` // file://…
	Name   string `json:"name,omitempty"`
	Folder string `json:"-"` // its path
}

// RootOf returns the root of an existing folder.
func RootOf(folder string) (Root, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return Root{}, fmt.Errorf("cannot find folder %q: %w", folder, err)
	}
	info, err := os.Stat(whole)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Root{}, fmt.Errorf("folder %q does not exist", folder)
	case err != nil:
		return Root{}, fmt.Errorf("cannot read folder %q: %w", folder, err)
	case !info.IsDir():
		return Root{}, fmt.Errorf("%q is a file, not a folder", folder)
	}
	path := filepath.ToSlash(whole)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return Root{URI: (&url.URL{Scheme: "file", Path: path}).String(), Name: filepath.Base(whole), Folder: whole}, nil
}
