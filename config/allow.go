package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/aloudchat/aloud/atomicfile"
)

// Allow adds a pattern to allow in [approval] of the file and leaves the rest of it, comments and layout included, as it is.
// The file and the table are made when they are missing. Adding what is there already does nothing.
// The file is replaced in one step; of two programs that add at the same moment one may win.
func Allow(path, pattern string) error {
	if wrong := badGlob(pattern); wrong != "" {
		return fmt.Errorf("cannot allow the pattern %q, %s", pattern, wrong)
	}
	if path == "" {
		return errors.New("there is no configuration file to keep the approval in; name one with --config or ALOUD_CONFIG")
	}
	before, err := read(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	after, err := withAllowed(path, before, pattern)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	if missing {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return unwritable(path, err)
		}
	}
	if err := atomicfile.Write(path, after); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// withAllowed is the text of the file with the pattern in it. It makes sure that nothing else has changed for who reads the file.
func withAllowed(path string, before []byte, pattern string) ([]byte, error) {
	old, err := parse(path, before)
	if err != nil {
		return nil, err
	}
	byHand := &Error{File: path, Key: "approval.allow", Text: fmt.Sprintf(
		"the pattern could not be added; write it yourself: allow = [%s] in [approval]", tomlString(pattern))}
	approval, ok := old.values["approval"].(map[string]any)
	if !ok && old.values["approval"] != nil {
		return nil, byHand
	}
	allowed, _ := approval["allow"].([]any)
	if slices.Contains(allowed, any(pattern)) {
		return before, nil
	}
	after := insertAllowed(before, tomlString(pattern))
	changed, err := parse(path, after)
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
