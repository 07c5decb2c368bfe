package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Allow adds a pattern to allow in [approval] of the file and leaves the rest of it, comments and layout included, as it is. The file and the
// table are made when they are missing. Adding what is there already does nothing. env is what the file is tried with, as in AddServers.
func Allow(path string, env func(string) (string, bool), pattern string) error {
	if wrong := badGlob(pattern); wrong != "" {
		return fmt.Errorf("cannot allow the pattern %q, %s", pattern, wrong)
	}
	return edit(path, env, func(old *document) ([]byte, error) { return withAllowed(old, pattern) })
}

// withAllowed is the text of the file with the pattern in it. It makes sure that nothing else has changed for who reads the file.
func withAllowed(old *document, pattern string) ([]byte, error) {
	byHand := &Error{File: old.file, Key: "approval.allow", Text: fmt.Sprintf(
		"the pattern could not be added; write it yourself: allow = [%s] in [approval]", tomlString(pattern))}
	approval, ok := old.values["approval"].(map[string]any)
	if !ok && old.values["approval"] != nil {
		return nil, byHand
	}
	allowed, _ := approval["allow"].([]any)
	if slices.Contains(allowed, any(pattern)) {
		return old.whole(), nil
	}
	after := insertAllowed(old.whole(), tomlString(pattern))
	changed, err := parse(old.file, after)
	if err != nil {
		return nil, byHand
	}
	want := maps.Clone(old.values)
	want["approval"] = map[string]any{"allow": append(slices.Clone(allowed), pattern)}
	for key, v := range approval {
		if key != "allow" {
			want["approval"].(map[string]any)[key] = v
		}
	}
	if !reflect.DeepEqual(want, changed.values) {
		return nil, byHand
	}
	return after, nil
}
