package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/cause"
)

// AddServers writes servers at the end of the file and leaves the rest of it, comments and layout included, as it is. A missing file is made,
// which no other user may read. The file is replaced in one step, and only by one that loads: env is what it is tried with.
// A file with mistakes, and a name that is there already, are errors.
func AddServers(path string, env func(string) (string, bool), entries ...Entry) error {
	return edit(path, env, func(old *document) ([]byte, error) {
		servers, ok := old.values["mcp_servers"].(map[string]any)
		if !ok && old.values["mcp_servers"] != nil {
			return nil, old.mistake([]string{"mcp_servers"}, `"mcp_servers" must be a table, not %s`, kind(old.values["mcp_servers"]))
		}
		names := map[string]bool{}
		for _, entry := range entries {
			if !serverName(entry.Name) {
				return nil, fmt.Errorf("the server's name %q "+nameRule, entry.Name)
			}
			if servers[entry.Name] != nil || names[entry.Name] {
				return nil, fmt.Errorf("there is a server %q already; take another name, or remove it with: aloud mcp remove %s", entry.Name, entry.Name)
			}
			names[entry.Name] = true
		}
		after := appendEntries(old.whole(), entries)
		changed, err := parse(path, after)
		if err != nil || !sameBut(old.values, changed.values, slices.Collect(maps.Keys(names))...) {
			return nil, &Error{File: path, Text: "the servers could not be added to how \"mcp_servers\" is written there; write them yourself"}
		}
		return after, nil
	})
}

// Check tells what would be wrong with an entry in a file.
func (e Entry) Check(env func(string) (string, bool)) error {
	if !serverName(e.Name) {
		return fmt.Errorf("the server's name %q "+nameRule, e.Name)
	}
	alone, err := parse("", []byte(e.String()))
	if err != nil {
		return err
	}
	_, err = loadDocument(alone, "", env, Flags{})
	return err
}

// RemoveServer takes what the file says of a server out of it and leaves the rest as it is. That there is no such server is an error.
func RemoveServer(path string, env func(string) (string, bool), name string) error {
	return edit(path, env, func(old *document) ([]byte, error) {
		servers, _ := old.values["mcp_servers"].(map[string]any)
		if servers[name] == nil {
			return nil, fmt.Errorf("there is no server %q in %q; see which there are with: aloud mcp list", name, path)
		}
		after := removeTable(old.whole(), []string{"mcp_servers", name})
		changed, err := parse(path, after)
		if err != nil || !sameBut(changed.values, old.values, name) {
			return nil, old.mistake([]string{"mcp_servers", name}, "the server %q could not be taken out of how it is written; do it yourself", name)
		}
		return after, nil
	})
}

// edit replaces the file by what change makes of it, if it loaded before and loads afterwards. It may be called by many at once, in this program
// and in others: none loses what another wrote.
func edit(path string, env func(string) (string, bool), change func(*document) ([]byte, error)) error {
	if path == "" {
		return errors.New("there is no configuration file to write to; name one with --config or ALOUD_CONFIG")
	}
	unlock, err := lock(path, env)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := parse(path, before)
	if err != nil {
		return err
	}
	if _, err := loadDocument(old, path, env, Flags{}); err != nil {
		return err
	}
	after, err := change(old)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	if len(after) > largest {
		return &Error{File: path, Text: "the file stays as it is, with the change it would be larger than 1 MiB"}
	}
	changed, err := parse(path, after)
	if err == nil {
		_, err = loadDocument(changed, path, env, Flags{})
	}
	if err != nil {
		return fmt.Errorf("the file stays as it is, with the change it would not be right: %w", err)
	}
	if err := atomicfile.Write(path, after); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// lock waits until no other aloud edits a configuration file. One lock serves all files: edits are short, and a file has many paths. It is kept
// with what aloud remembers, because people keep the file's own folder tidy. Who has no home has no place for it, and no second aloud.
func lock(path string, env func(string) (string, bool)) (unlock func(), err error) {
	dir, err := StateDir(env)
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
		return nil, fmt.Errorf("%q stays as it is: %q, which keeps two alouds from writing at once, cannot be written: %w", path, file, cause.Of(err))
	}
	return unlock, nil
}

// sameBut tells whether two files say the same, except that more also has these servers.
func sameBut(less, more map[string]any, names ...string) bool {
	more = maps.Clone(more)
	servers, _ := more["mcp_servers"].(map[string]any)
	servers = maps.Clone(servers)
	for _, name := range names {
		if servers[name] == nil {
			return false
		}
		delete(servers, name)
	}
	less = maps.Clone(less)
	if kept, _ := less["mcp_servers"].(map[string]any); len(kept) == 0 && len(servers) == 0 { // an empty table says nothing
		delete(less, "mcp_servers")
		delete(more, "mcp_servers")
	} else {
		more["mcp_servers"] = servers
	}
	return reflect.DeepEqual(less, more)
}

// appendEntries puts tables at the end of a text.
func appendEntries(text []byte, entries []Entry) []byte {
	newline := newlineOf(text)
	for _, entry := range entries {
		e := &editor{text: text, newline: newline}
		if len(bytes.TrimPrefix(text, []byte(bom))) > 0 {
			text = append(slices.Clone(text), e.separation()...)
		}
		text = append(text, bytes.ReplaceAll([]byte(entry.String()), []byte("\n"), []byte(newline))...)
	}
	return text
}

// bom is what editors on Windows put first.
const bom = "\ufeff"

func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
