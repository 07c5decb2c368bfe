package others

import (
	"path/filepath"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// Short is a path for people who are at the place: their home folder is ~, and the current one is a dot. It is safe to show.
func (p Place) Short(path string) string {
	if rest, ok := strings.CutPrefix(path, p.Dir+string(filepath.Separator)); ok && p.Dir != "" && p.Dir != p.Home {
		return sanitize.Line("." + string(filepath.Separator) + rest)
	}
	return p.FromHome(path)
}

// FromHome is a path for people who are in another folder next time. It is safe to show.
func (p Place) FromHome(path string) string {
	if rest, ok := strings.CutPrefix(path, p.Home+string(filepath.Separator)); ok && p.Home != "" {
		path = "~" + string(filepath.Separator) + rest
	}
	return sanitize.Line(path)
}
