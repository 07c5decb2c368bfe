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

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// AddServers appends servers to the file at path, and creates a missing file with mode 0600. Like RemoveServer and
// Allow, it keeps everything else in the file, including comments and layout.
func AddServers(path string, env Lookup, servers ...Server) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		taken, _ := values["mcp_servers"].(map[string]any)
		for _, s := range servers {
			if taken[s.Name] != nil {
				return nil, fmt.Errorf("server %[1]q already exists. Use another name, or run: aloud mcp remove %[1]s", s.Name)
			}
			text = appendTable(text, s.Table())
		}
		return text, nil
	})
}

// RemoveServer removes all tables of a server from the file.
func RemoveServer(path string, env Lookup, name string) error {
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		servers, _ := values["mcp_servers"].(map[string]any)
		if servers[name] == nil {
			return nil, fmt.Errorf("no server %q in %q. See: aloud config show", name, path)
		}
		after := removeTables(text, []string{"mcp_servers", name})
		if delete(servers, name); len(servers) == 0 && !hasValues(after, values) {
			delete(values, "mcp_servers")
		}
		if !hasValues(after, values) {
			return nil, fmt.Errorf("server %q has no table of its own in %q. Remove it by hand", name, path)
		}
		return after, nil
	})
}

// Allow adds a pattern to allow in [approval], if it is not there yet.
func Allow(path string, env Lookup, pattern string) error {
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
		if !hasValues(after, values) {
			return nil, fmt.Errorf("cannot add %s to allow in [approval]. Add it to %q by hand", quoted(pattern), path)
		}
		return after, nil
	})
}

// SetServer sets provider and the address of its model server at the top level.
func SetServer(path string, env Lookup, provider, address string) error {
	key := "host"
	if provider == TypeOpenAI {
		key = "base_url"
	}
	return change(path, env, func(text []byte, values map[string]any) ([]byte, error) {
		after := setTop(setTop(text, key, quoted(address)), "provider", quoted(provider))
		values["provider"], values[key] = provider, address
		if !hasValues(after, values) {
			return nil, fmt.Errorf("cannot set provider and %s. Write them to %q by hand", key, path)
		}
		return after, nil
	})
}

// setTop sets a key at the top level to a value in TOML. A new key comes first.
func setTop(text []byte, key, value string) []byte {
	line := key + " = " + value
	for node := range expressions(text) {
		if node.Kind != unstable.KeyValue {
			break // a table begins
		}
		if name, _ := keyOf(node); dotted(name) == key {
			return slices.Concat(text[:node.Raw.Offset], []byte(line), text[node.Raw.Offset+node.Raw.Length:])
		}
	}
	return slices.Concat([]byte(line+newline(text)), text)
}

// hasValues reports whether text holds exactly these values.
func hasValues(text []byte, values map[string]any) bool {
	var got map[string]any
	return toml.Unmarshal(text, &got) == nil && reflect.DeepEqual(got, values)
}

// editor returns the new text of a file from its text and values.
type editor func(text []byte, values map[string]any) ([]byte, error)

// change replaces the file with the result of edit, if both are valid. It holds a lock, so that programs that change
// the file at the same time do not lose changes.
func change(path string, env Lookup, edit editor) error {
	if path == "" {
		return errors.New("no configuration file to write to. Name one with --config or ALOUD_CONFIG")
	}
	if dir, err := StateDir(env); err == nil { // without a home folder, another process is unlikely
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		unlock, err := atomicfile.Lock(ctx, filepath.Join(dir, "config.lock")) // one lock, because a file can have many paths
		if err != nil {
			return fmt.Errorf("cannot change %q, another aloud process may be writing to it: %w", path, atomicfile.Cause(err))
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
		return fmt.Errorf("file not changed, the change would make it invalid: %w", err)
	}
	if err := atomicfile.Write(path, after); err != nil {
		return fileError("write", path, err)
	}
	return nil
}

// appendTable appends a table after an empty line.
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

// newline returns the line ending of text.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// insertAllowed inserts a quoted pattern before the first element of approval.allow, or else below [approval], or else
// in a new table at the end.
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
		if len(bytes.TrimSpace(gap)) > 0 { // same line as the key
			return insert(first, pattern+", ")
		}
		return insert(first, pattern+","+newline(text)+string(gap))
	}
	if below >= 0 {
		return insert(below, newline(text)+"allow = ["+pattern+"]")
	}
	return appendTable(text, "[approval]\nallow = ["+pattern+"]\n")
}

// removeTables removes the tables at path and below it, each from its header to its last key. It keeps comments around
// them. The caller must check the result.
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
		if remove[i] = remove[i] || isBlank && i > 0 && remove[i-1]; !remove[i] { // and the empty lines after a table
			kept = append(kept, line...)
		}
	}
	if wasLast := len(remove) > 0 && remove[len(remove)-1]; wasLast && len(kept) > 0 {
		kept = append(bytes.TrimRight(kept, "\r\n"), newline(text)...)
	}
	return kept
}

// keyOf returns the key of an expression and the offset of its end.
func keyOf(node *unstable.Node) (path []string, end int) {
	for parts := node.Key(); parts.Next(); {
		path = append(path, string(parts.Node().Data))
		end = int(parts.Node().Raw.Offset + parts.Node().Raw.Length)
	}
	return path, end
}

// lineEnd returns the offset of the end of the line with the byte at, before its newline.
func lineEnd(text []byte, at int) int {
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	return at + len(bytes.TrimSuffix(line, []byte("\r")))
}
