package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

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

// insertAllowed puts a quoted pattern behind the last element of approval.allow, else below [approval], else into a new
// table at the end.
func insertAllowed(text []byte, pattern string) []byte {
	insert := func(at int, s string) []byte { return slices.Concat(text[:at], []byte(s), text[at:]) }
	list := "allow = [" + pattern + "]"
	below := -1 // the end of the line [approval]
	var table []string
	for node, key := range expressions(text) {
		if node.Kind != unstable.KeyValue {
			if table = key; slices.Equal(table, []string{"approval"}) {
				below = lineEnd(text, keyEnd(node))
			}
			continue
		}
		if !slices.Equal(slices.Concat(table, key), []string{"approval", "allow"}) {
			continue
		}
		return appendElement(text, node.Value(), int(node.Raw.Offset+node.Raw.Length), pattern)
	}
	if below >= 0 {
		return insert(below, newline(text)+list)
	}
	return appendTable(text, "[approval]\n"+list+"\n")
}

// appendElement puts an element behind the last one of an array whose closing bracket is before end, on a line of its
// own if they are on lines of their own.
func appendElement(text []byte, array *unstable.Node, end int, element string) []byte {
	at := -1
	for elements := array.Children(); elements.Next(); {
		at = int(elements.Node().Raw.Offset + elements.Node().Raw.Length)
	}
	if at < 0 {
		return slices.Concat(text[:end-1], []byte(element), text[end-1:])
	}
	behind := lineEnd(text, at)
	if behind >= end {
		return slices.Concat(text[:at], []byte(", "+element), text[at:])
	}
	comma := ","
	if bytes.HasPrefix(bytes.TrimLeft(text[at:], " \t"), []byte(",")) {
		comma = ""
	}
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return slices.Concat(text[:at], []byte(comma), text[at:behind],
		[]byte(newline(text)), indent, []byte(element+","), text[behind:])
}

// removeTables takes the tables at a path and below it out of a text, with the comments and the empty lines that belong
// to them. The caller checks what the result says.
func removeTables(text []byte, path []string) []byte {
	type lines struct{ from, to int }
	var found []lines
	inside := false
	line := func(offset int) int { return bytes.Count(text[:offset], []byte("\n")) }
	all := bytes.SplitAfter(text, []byte("\n"))
	if last := len(all) - 1; len(all[last]) == 0 {
		all = all[:last]
	}
	for node, key := range expressions(text) {
		if node.Kind != unstable.KeyValue {
			was := inside
			inside = len(key) >= len(path) && slices.Equal(key[:len(path)], path)
			from := line(keyEnd(node))
			// What stands between two tables of the server goes with them, except a table that somebody commented out.
			if n := len(found) - 1; inside && was && !bytes.Contains(bytes.Join(all[found[n].to:from], nil), []byte("[")) {
				found[n].to = from + 1
			} else if inside {
				found = append(found, lines{from, from + 1})
			}
		} else if inside {
			found[len(found)-1].to = line(int(node.Raw.Offset+node.Raw.Length)) + 1
		}
	}
	for _, l := range slices.Backward(found) {
		from, to := withComments(all, l.from, l.to)
		all = slices.Concat(all[:from], all[to:])
	}
	return bytes.Join(all, nil)
}

// withComments extends a table of the lines from and to by the comments directly below it and above it, unless they
// touch something else, and by the empty lines that part it from what follows.
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

// isComment reports whether a line is a comment, and not a table that somebody commented out.
func isComment(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
	return ok && !bytes.HasPrefix(bytes.TrimLeft(rest, "# \t"), []byte("["))
}

// expressions iterates over the table headers and the key-value pairs of a text, each with its key.
func expressions(text []byte) func(yield func(*unstable.Node, []string) bool) {
	return func(yield func(*unstable.Node, []string) bool) {
		parser := unstable.Parser{}
		parser.Reset(text)
		for parser.NextExpression() {
			node := parser.Expression()
			var key []string
			for parts := node.Key(); parts.Next(); {
				key = append(key, string(parts.Node().Data))
			}
			if !yield(node, key) {
				return
			}
		}
	}
}

// keyEnd is where the key of a node ends.
func keyEnd(node *unstable.Node) (end int) {
	for parts := node.Key(); parts.Next(); {
		end = int(parts.Node().Raw.Offset + parts.Node().Raw.Length)
	}
	return end
}

// lineEnd is where the line of the byte at ends, before its newline.
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + len(bytes.TrimSuffix(text[at:at+n], []byte("\r")))
	}
	return len(text)
}
