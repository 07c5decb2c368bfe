package config

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lines are those from one byte to another.
type lines struct{ from, to int }

// removeTable takes out of a text what it says about the table at a path, wherever it says it: under headers, in dotted keys, in a table that
// is written in one value. It looks at the text only; whether the result means what it should is the caller's to check.
func removeTable(text []byte, path []string) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte(bom)); ok {
		return append([]byte(bom), removeTable(rest, path)...)
	}
	e := &editor{text: text}
	var out []lines
	var table []string
	inside := false // the header above is of the table
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		node := parser.Expression()
		key, end := keyOf(node)
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, inside = key, begins(key, path)
			if inside {
				out = append(out, lines{e.lineStart(keyStart(node)), e.lineAfter(end)})
			}
		case unstable.KeyValue:
			end = int(node.Raw.Offset + node.Raw.Length)
			switch {
			case inside:
				out[len(out)-1].to = e.lineAfter(end)
			case begins(slices.Concat(table, key), path):
				out = append(out, lines{e.lineStart(keyStart(node)), e.lineAfter(end)})
			}
		}
	}
	for _, l := range slices.Backward(joined(text, out)) {
		text = e.without(text, l)
	}
	return text
}

// joined makes one of the tables between which nothing else is: whatever the comments there speak of goes with them.
func joined(text []byte, parts []lines) (all []lines) {
	for _, l := range parts {
		last := len(all) - 1
		if last >= 0 && isHeader(text[all[last].from:]) && isHeader(text[l.from:]) && onlyComments(text[all[last].to:l.from]) {
			all[last].to = l.to
			continue
		}
		all = append(all, l)
	}
	return all
}

// onlyComments tells that a text has nothing else in it, and no table that somebody switched off.
func onlyComments(text []byte) bool {
	for l := range bytes.Lines(text) {
		if !blank(l) && !isComment(l) || isSwitchedOff(l) {
			return false
		}
	}
	return true
}

// without takes lines out, together with their comments, directly below them and above their header, and the empty lines that parted them from
// what follows.
func (e *editor) without(text []byte, l lines) []byte {
	end := l.to
	for end < len(text) && isComment(line(text, end)) && !isSwitchedOff(line(text, end)) {
		end += len(line(text, end))
	}
	if end == len(text) || blank(line(text, end)) || isSwitchedOff(line(text, end)) {
		l.to = end // the comments belong to what is above, not to what is below
	}
	from, to := l.from, l.to
	if !isHeader(text[from:]) {
		return slices.Concat(text[:from], text[to:]) // single lines of another table
	}
	from = aboveHeader(text, from)
	for to < len(text) && blank(line(text, to)) {
		to += len(line(text, to))
	}
	if to < len(text) || l.to < to {
		return slices.Concat(text[:from], text[to:])
	}
	// At the end of the file the empty line above is what parted it from the rest.
	if above := bytes.TrimRight(text[:from], "\r\n"); len(above) < from {
		start := from
		if n := bytes.LastIndexByte(text[:from-1], '\n'); blank(text[n+1 : from]) {
			start = n + 1
		}
		from = start
	}
	return text[:from:from]
}

// aboveHeader is where the comments begin that stand directly above a header and speak of its table. Those that nothing parts from what is
// before them belong there, and those at the top of a file are about the file.
func aboveHeader(text []byte, header int) int {
	at := header
	for at > 0 {
		start := bytes.LastIndexByte(text[:at-1], '\n') + 1
		switch above := text[start:at]; {
		case blank(above):
			return at
		case !isComment(above) || isSwitchedOff(above):
			return header
		}
		at = start
	}
	return header
}

// line is the one that begins at a byte, with its newline.
func line(text []byte, at int) []byte {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return text[at : at+n+1]
	}
	return text[at:]
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

func isComment(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) }

// isSwitchedOff tells whether a line is the header of a table that somebody made a comment of. It speaks of no other table.
func isSwitchedOff(line []byte) bool {
	rest, comment := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
	return comment && isHeader(bytes.TrimLeft(rest, "# \t"))
}

// isHeader tells whether a text begins with the header of a table.
func isHeader(text []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte("[")) }

// lineStart is where the line of the byte at begins.
func (e *editor) lineStart(at int) int { return bytes.LastIndexByte(e.text[:at], '\n') + 1 }

// lineAfter is where the line after the byte at begins.
func (e *editor) lineAfter(at int) int {
	if n := bytes.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(e.text)
}

// begins tells whether a key is that at the path, or below it.
func begins(key, path []string) bool {
	return len(key) >= len(path) && slices.Equal(key[:len(path)], path)
}

// keyStart is where the key of a node begins.
func keyStart(node *unstable.Node) int {
	for parts := node.Key(); parts.Next(); {
		return int(parts.Node().Raw.Offset)
	}
	return 0
}
