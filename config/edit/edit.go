// Package edit changes the configuration file: it adds and removes servers and allows tools. Everything else in the
// file stays as it is, comments and layout included.
package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/config"
)

// Env looks up an environment variable, like os.LookupEnv. An edited file must load with it.
type Env func(string) (string, bool)

// Add appends servers to the file at path. It makes the file if there is none, readable by its owner only.
func Add(path string, env Env, servers ...Server) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		taken, _ := values["mcp_servers"].(map[string]any)
		names := map[string]bool{}
		for _, s := range servers {
			if taken[s.Name] != nil || names[s.Name] {
				return nil, fmt.Errorf("there is a server %q already; take another name, or remove it with: aloud mcp remove %s", s.Name, s.Name)
			}
			names[s.Name] = true
			text = appendTable(text, s.String())
		}
		return text, nil
	})
}

// Remove takes all tables of a server out of the file.
func Remove(path string, env Env, name string) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		servers, _ := values["mcp_servers"].(map[string]any)
		if servers[name] == nil {
			return nil, fmt.Errorf("there is no server %q in %q; see which there are with: aloud mcp list", name, path)
		}
		after := removeTables(text, []string{"mcp_servers", name})
		delete(servers, name)
		if len(servers) == 0 && !says(after, values) {
			delete(values, "mcp_servers")
		}
		if !says(after, values) {
			return nil, fmt.Errorf("the server %q has no table of its own in %q; remove it there by hand", name, path)
		}
		return after, nil
	})
}

// Allow adds a pattern to allow in [approval], unless it is there already.
func Allow(path string, env Env, pattern string) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		approval, _ := values["approval"].(map[string]any)
		if approval == nil {
			approval = map[string]any{}
		}
		allowed, _ := approval["allow"].([]any)
		if slices.Contains(allowed, any(pattern)) {
			return text, nil
		}
		after := insertAllowed(text, config.TOML(pattern))
		approval["allow"] = append(slices.Clone(allowed), pattern)
		values["approval"] = approval
		if !says(after, values) {
			return nil, fmt.Errorf("the pattern could not be added to %q; write it yourself: allow = [%s] in [approval]", path, config.TOML(pattern))
		}
		return after, nil
	})
}

// says reports whether a text has exactly these values.
func says(text []byte, values map[string]any) bool {
	var got map[string]any
	return toml.Unmarshal(text, &got) == nil && reflect.DeepEqual(got, values)
}

// change replaces the file by what edit makes of it, if it loads before and afterwards. Programs that change it at the
// same time wait for each other.
func change(path string, env Env, edit func(text []byte, values map[string]any) ([]byte, error)) error {
	if path == "" {
		return errors.New("there is no configuration file to write to; name one with --config or ALOUD_CONFIG")
	}
	unlock, err := lock(path, env)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := config.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := config.Check(path, before, env); err != nil {
		return err
	}
	const byteOrderMark = "\ufeff" // editors on Windows write one
	text, marked := bytes.CutPrefix(before, []byte(byteOrderMark))
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		return err
	}
	after, err := edit(text, values)
	if err != nil || bytes.Equal(text, after) {
		return err
	}
	if marked {
		after = append([]byte(byteOrderMark), after...)
	}
	if err := config.Check(path, after, env); err != nil {
		return fmt.Errorf("the file stays as it is, with the change it would not be right: %w", err)
	}
	if err := atomicfile.Write(path, after); err != nil {
		return fmt.Errorf("the configuration file %q cannot be written: %w; change that, or name another with --config", path, atomicfile.Cause(err))
	}
	return nil
}

// lock waits until no other aloud edits a configuration file. One lock serves all files, as a file can have many paths.
// Without a home folder there is no place for a lock, and no second aloud either.
func lock(path string, env Env) (unlock func(), err error) {
	dir, err := config.StateDir(env)
	if err != nil {
		return func() {}, nil
	}
	const patience = 10 * time.Second // an edit takes milliseconds, even on a slow disk
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	file := filepath.Join(dir, "config.lock")
	unlock, err = atomicfile.Lock(ctx, file)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another aloud has been writing to a configuration file for %v, so %q stays as it is; try again", patience, path)
	case err != nil:
		return nil, fmt.Errorf("%q stays as it is: the lock file %q cannot be written: %w", path, file, atomicfile.Cause(err))
	}
	return unlock, nil
}
