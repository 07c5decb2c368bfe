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
	if dir, err := StateDir(env); err == nil { // without a home folder there is no second aloud either
		const patience = 10 * time.Second // an edit takes milliseconds, even on a slow disk
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		unlock, err := atomicfile.Lock(ctx, filepath.Join(dir, "config.lock")) // one for all files: a file can have many paths
		if err != nil {
			return fmt.Errorf("%q stays as it is, because another aloud may be writing to it: %w", path, atomicfile.Cause(err))
		}
		defer unlock()
	}
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

// removeTables takes the tables at a path and below it out of a text, each from its header to its last key. Comments
// around a table stay. The caller checks what the result says.
func removeTables(text []byte, path []string) []byte {
	lines := slices.Collect(bytes.Lines(text))
	remove := make([]bool, len(lines))
	inside, next := false, 0 // next is the first line that may belong to the table
	for node := range expressions(text) {
		last := int(node.Raw.Offset + node.Raw.Length)
		if node.Kind != unstable.KeyValue {
			var key []string
			key, last = keyOf(node)
			inside = len(key) >= len(path) && slices.Equal(key[:len(path)], path)
			next = bytes.Count(text[:last], []byte("\n"))
		}
		for ; inside && next <= bytes.Count(text[:last], []byte("\n")); next++ {
			remove[next] = true
		}
	}
	var kept []byte
	for i, line := range lines {
		isBlank := len(bytes.TrimSpace(line)) == 0
		if remove[i] = remove[i] || isBlank && i > 0 && remove[i-1]; !remove[i] { // with the empty lines behind a table
			kept = append(kept, line...)
		}
	}
	if wasLast := len(remove) > 0 && remove[len(remove)-1]; wasLast && len(kept) > 0 {
		kept = append(bytes.TrimRight(kept, "\r\n"), newline(text)...)
	}
	return kept
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
