package screen

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// DroppedImages returns the image files that a pasted text names, and nothing else, in the way in which terminals name
// the files that you drop on them: by whole paths or file addresses, in quotes or not. They may not exist. A long text
// names none.
func DroppedImages(text string) (files []string) {
	const most = 32 << 10
	if len(text) > most {
		return nil
	}
	names, err := splitCommand(strings.ReplaceAll(text, "\r", "\n"))
	extensions := []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}
	for _, name := range names {
		if address, err := url.Parse(name); err == nil && address.Scheme == "file" && address.Host == "" {
			name = filepath.FromSlash(address.Path)
			if filepath.VolumeName(name[min(1, len(name)):]) != "" { // \C:\a.png on Windows
				name = name[1:]
			}
		}
		isImage := slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
		elsewhere := strings.HasPrefix(filepath.ToSlash(name), "//") // a machine that would get your password's hash
		if err != nil || !isImage || !filepath.IsAbs(name) || elsewhere {
			return nil
		}
		files = append(files, name)
	}
	return files
}
