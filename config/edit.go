package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/aloudchat/aloud/atomicfile"
)

// AddServers appends servers to the file at path. It creates a missing file, readable by its owner only.
// Everything else in the file stays as it is, comments and layout included, as with RemoveServer and Allow.
func AddServers(path string, env func(string) (string, bool), servers ...Server) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		taken, _ := values["mcp_servers"].(map[string]any)
		for i, s := range servers {
			if taken[s.Name] != nil || slices.ContainsFunc(servers[:i], func(other Server) bool { return other.Name == s.Name }) {
				return nil, fmt.Errorf("there is a server %q already; take another name, or remove it with: aloud mcp remove %s", s.Name, s.Name)
			}
			text = appendTable(text, s.Table())
		}
		return text, nil
	})
}

// RemoveServer takes all tables of a server out of the file.
func RemoveServer(path string, env func(string) (string, bool), name string) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		servers, _ := values["mcp_servers"].(map[string]any)
		if servers[name] == nil {
			return nil, fmt.Errorf("there is no server %q in %q; see which there are with: aloud mcp list", name, path)
		}
		after := removeTables(text, []string{"mcp_servers", name})
		if delete(servers, name); len(servers) == 0 && !says(after, values) {
			delete(values, "mcp_servers")
		}
		if !says(after, values) {
			return nil, fmt.Errorf("the server %q has no table of its own in %q; remove it there by hand", name, path)
		}
		return after, nil
	})
}

// Allow adds a pattern to allow in [approval], unless it is there already.
func Allow(path string, env func(string) (string, bool), pattern string) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		approval, _ := values["approval"].(map[string]any)
		if approval == nil {
			approval = map[string]any{}
		}
		allowed, _ := approval["allow"].([]any)
		if slices.Contains(allowed, any(pattern)) {
			return text, nil
		}
		after := insertAllowed(text, quoted(pattern))
		approval["allow"] = append([]any{pattern}, allowed...)
		values["approval"] = approval
		if !says(after, values) {
			return nil, fmt.Errorf("the pattern could not be added to %q; write it yourself: allow = [%s] in [approval]", path, quoted(pattern))
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
func change(path string, env func(string) (string, bool), edit func(text []byte, values map[string]any) ([]byte, error)) error {
	if path == "" {
		return errors.New("there is no configuration file to write to; name one with --config or ALOUD_CONFIG")
	}
	unlock, err := lock(path, env)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := Check(path, before, env); err != nil {
		return err
	}
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
	if err := Check(path, after, env); err != nil {
		return fmt.Errorf("the file stays as it is, with the change it would not be right: %w", err)
	}
	if err := atomicfile.Write(path, after); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// lock waits until no other aloud edits a configuration file. One lock serves all files, as a file can have many paths.
// Without a home folder there is no place for a lock, and no second aloud either.
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
		return nil, fmt.Errorf("%q stays as it is: the lock file %q cannot be written: %w", path, file, atomicfile.Cause(err))
	}
	return unlock, nil
}

// appendTable puts a table at the end of a text, after an empty line.
func appendTable(text []byte, table string) []byte {
	switch {
	case len(text) == 0:
	case bytes.HasSuffix(text, []byte("\n")):
		table = "\n" + table
	default:
		table = "\n\n" + table
	}
	return append(slices.Clone(text), strings.ReplaceAll(table, "\n", newline(text))...)
}

// newline is how lines end in a text.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// insertAllowed puts a quoted pattern before the first element of approval.allow, else below [approval], else into a
// new table at the end.
func insertAllowed(text []byte, pattern string) []byte {
	insert := func(at int, s string) []byte { return slices.Concat(text[:at], []byte(s), text[at:]) }
	below := -1 // the end of the line [approval]
	var table []string
	for node := range expressions(text) {
		path, end := keyOf(node)
		if node.Kind != unstable.KeyValue {
			if table = path; dotted(table) == "approval" {
				below = lineEnd(text, end)
			}
			continue
		}
		if dotted(slices.Concat(table, path)) != "approval.allow" {
			continue
		}
		elements := node.Value().Children()
		if !elements.Next() {
			return insert(int(node.Raw.Offset+node.Raw.Length)-1, pattern)
		}
		first := int(elements.Node().Raw.Offset)
		gap := text[bytes.LastIndexByte(text[:first], '\n')+1 : first]
		if len(bytes.TrimSpace(gap)) > 0 { // it is on the line of the key
			return insert(first, pattern+", ")
		}
		return insert(first, pattern+","+newline(text)+string(gap))
	}
	if below >= 0 {
		return insert(below, newline(text)+"allow = ["+pattern+"]")
	}
	return appendTable(text, "[approval]\nallow = ["+pattern+"]\n")
}

// removeTables takes the tables at a path and below it out of a text, with the comments that belong to them. The caller
// checks what the result says.
func removeTables(text []byte, path []string) []byte {
	type lines struct{ from, to int }
	all := slices.Collect(bytes.Lines(text))
	line := func(at int) int { return bytes.Count(text[:at], []byte("\n")) }
	var found []lines
	inside := false
	for node := range expressions(text) {
		if node.Kind == unstable.KeyValue {
			if inside {
				found[len(found)-1].to = line(int(node.Raw.Offset+node.Raw.Length)) + 1
			}
			continue
		}
		key, end := keyOf(node)
		was := inside
		inside = len(key) >= len(path) && slices.Equal(key[:len(path)], path)
		from := line(end)
		// What is between two of the tables goes with them, except a table that is commented out.
		if last := len(found) - 1; inside && was && !bytes.Contains(bytes.Join(all[found[last].to:from], nil), []byte("[")) {
			found[last].to = from + 1
		} else if inside {
			found = append(found, lines{from, from + 1})
		}
	}
	for _, l := range slices.Backward(found) {
		from, to := withComments(all, l.from, l.to)
		all = slices.Concat(all[:from], all[to:])
	}
	return bytes.Join(all, nil)
}

// withComments extends a table of the lines from and to by the comments directly below it and above it, unless they
// touch something else, and by the empty lines that separate it from what follows.
func withComments(all [][]byte, from, to int) (int, int) {
	end := to
	for end < len(all) && isComment(all[end]) {
		end++
	}
	if end == len(all) || isBlank(all[end]) || bytes.HasPrefix(bytes.TrimSpace(all[end]), []byte("#")) {
		to = end
	}
	start := from
	for start > 0 && isComment(all[start-1]) {
		start--
	}
	if start > 0 && isBlank(all[start-1]) { // comments at the top are about the file
		from = start
	}
	for to < len(all) && isBlank(all[to]) {
		to++
	}
	if to == len(all) && from > 0 && isBlank(all[from-1]) {
		from--
	}
	return from, to
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// isComment reports whether a line is a comment, and not a table that is commented out.
func isComment(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
	return ok && !bytes.HasPrefix(bytes.TrimLeft(rest, "# \t"), []byte("["))
}

// keyOf is the key of an expression, and where it ends.
func keyOf(node *unstable.Node) (path []string, end int) {
	for parts := node.Key(); parts.Next(); {
		path = append(path, string(parts.Node().Data))
		end = int(parts.Node().Raw.Offset + parts.Node().Raw.Length)
	}
	return path, end
}

// lineEnd is where the line of the byte at ends, before its newline.
func lineEnd(text []byte, at int) int {
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	return at + len(bytes.TrimSuffix(line, []byte("\r")))
}
