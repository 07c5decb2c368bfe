package elicit

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// RootOf is the root of a folder, which has to be there; ~ in front is the home folder, as in a shell, which may not have seen it. The error
// is one sentence.
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
	return Root{URI: (&url.URL{Scheme: "file", Path: path}).String(), Name: filepath.Base(whole)}, nil
}

// Folder is the path of a root as this system writes it, or its address when that is not of a file here.
func (r Root) Folder() string {
	u, err := url.Parse(r.URI)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return r.URI
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' && filepath.Separator == '\\' {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}
