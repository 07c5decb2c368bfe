package config

import (
	"fmt"
	"slices"
)

// unknown notes the keys that were never read, with what was probably meant.
func (l *loader) unknown() {
	for _, t := range l.tables {
		for key := range t.values {
			if !slices.Contains(t.asked, key) && !l.opened(t.key(key)) {
				l.mistake(t.key(key), "unknown key %q %s%s", key, t.where(), l.meant(t, key))
			}
		}
	}
}

func (t *table) where() string {
	if len(t.path) == 0 {
		return "at the top level"
	}
	return "in [" + dotted(t.path) + "]"
}

func (l *loader) opened(path []string) bool {
	return slices.ContainsFunc(l.tables, func(t *table) bool { return slices.Equal(t.path, path) })
}

// meant looks for the same key in the other tables first: under the wrong header is the commonest mistake in TOML.
func (l *loader) meant(in *table, key string) string {
	for _, t := range l.tables {
		if t != in && slices.Contains(t.asked, key) && len(t.path) < 2 {
			if len(t.path) == 0 {
				return "; it belongs at the top, above the first [table]"
			}
			return "; it belongs in [" + dotted(t.path) + "]"
		}
	}
	names := slices.Clone(in.asked)
	for _, t := range l.tables {
		if len(t.path) == len(in.path)+1 && slices.Equal(t.path[:len(in.path)], in.path) {
			names = append(names, t.path[len(in.path)])
		}
	}
	if near := nearest(key, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
