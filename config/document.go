package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// document is a parsed file with the position of each key. The environment and the flags are documents too, with names
// instead of positions.
type document struct {
	file    string
	text    []byte
	values  map[string]any
	offsets map[string]int // dotted path of a key or array element → its first byte

	source string            // "environment" or "flag"; "" for a file
	names  map[string]string // dotted key → "ALOUD_MODEL", "--model"; nil for a file
}

// deepest is the depth of the deepest key, mcp_servers.NAME.oauth.scopes.0. Deeper positions are not kept.
const deepest = 5

// parse reads TOML. The error is an *Error with the position.
func parse(file string, text []byte) (*document, error) {
	if len(text) > 1<<20 {
		const larger = "the file has %d bytes. It must not be larger than 1 MiB"
		return nil, &Error{File: file, Text: fmt.Sprintf(larger, len(text))}
	}
	// Editors on Windows write a byte order mark, which must not count as a column.
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	d := &document{file: file, text: text, values: map[string]any{}, offsets: map[string]int{}}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		return nil, d.syntaxError(err)
	}
	var table []string
	for node := range expressions(text) {
		if node.Kind == unstable.KeyValue {
			d.noteValue(table, node)
		} else {
			table = d.noteKey(nil, node.Key())
		}
	}
	return d, nil
}

const byteOrderMark = "\ufeff"

// expressions iterates over the table headers and key-value pairs of text.
func expressions(text []byte) func(yield func(*unstable.Node) bool) {
	return func(yield func(*unstable.Node) bool) {
		parser := unstable.Parser{}
		parser.Reset(text)
		for parser.NextExpression() && yield(parser.Expression()) {
		}
	}
}

func (d *document) syntaxError(err error) error {
	e := &Error{File: d.file, Text: "invalid TOML: " + sanitize.Line(err.Error())}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		text := sanitize.Line(strings.TrimPrefix(at.Error(), "toml: "))
		e.Line, e.Column = at.Position()
		if lines := bytes.Split(d.text, []byte("\n")); e.Line <= len(lines) {
			line := lines[e.Line-1]
			before := sanitize.Cut(string(line), e.Column-1) // the position may be within a character
			text = cmp.Or(cause(before, strings.TrimSpace(string(line[len(before):])), text), text)
			e.Column = utf8.RuneCountInString(before) + 1 // the library counts bytes, editors count characters
		}
		e.Text = "invalid TOML: " + text
	}
	return e
}

// inDoubleQuotes explains what happens to the path of a file on Windows.
const inDoubleQuotes = `in double quotes, \ begins an escape. Write paths in single quotes, like 'C:\tools'`

// cause returns what is wrong in a line where people often write something else than TOML, or "". before and after are
// the parts of the line around the mistake that text describes.
func cause(before, after, text string) string {
	first, _ := utf8.DecodeRuneInString(after)
	switch {
	case strings.ContainsRune("‘’", first):
		return fmt.Sprintf(`%c is a curly quote. Use straight quotes: '…'`, first)
	case strings.ContainsRune("“”„", first):
		return fmt.Sprintf(`%c is a curly quote. Use straight quotes: "…"`, first)
	case strings.Contains(text, "escape") || drive().MatchString(before+after):
		return inDoubleQuotes
	case first == '{' && strings.Contains(text, "start of key"), first == ':' && strings.HasSuffix(before, `"`):
		return "this is JSON. Save it as a file, and run: aloud mcp import ./FILE"
	}
	return ""
}

// drive matches the start of a path on Windows in double quotes, up to a \ that is not written twice.
var drive = sanitize.Pattern(`"[A-Za-z]:(?:\\\\[^\\"]*)*\\(?:[^\\]|$)`)

// noteKey stores the offsets of the parts of a dotted key and returns its path.
func (d *document) noteKey(table []string, key unstable.Iterator) []string {
	path := slices.Clone(table)
	for key.Next() {
		path = append(path, string(key.Node().Data))
		d.note(path, key.Node())
	}
	return path
}

func (d *document) noteValue(table []string, pair *unstable.Node) {
	path := d.noteKey(table, pair.Key())
	if len(path) > deepest {
		return
	}
	i := 0
	for inside := pair.Value().Children(); inside.Next(); i++ {
		switch pair.Value().Kind {
		case unstable.InlineTable:
			d.noteValue(path, inside.Node())
		case unstable.Array:
			d.note(append(path[:len(path):len(path)], strconv.Itoa(i)), inside.Node())
		}
	}
}

func (d *document) note(path []string, node *unstable.Node) {
	if _, known := d.offsets[dotted(path)]; !known && node.Raw.Length > 0 && len(path) <= deepest {
		d.offsets[dotted(path)] = int(node.Raw.Offset)
	}
}

// offset returns the offset of path, or of its nearest parent with a known offset.
func (d *document) offset(path []string) int {
	for ; len(path) > 0; path = path[:len(path)-1] {
		if at, ok := d.offsets[dotted(path)]; ok {
			return at
		}
	}
	return 0
}

// position returns the line and column of path, both from 1.
func (d *document) position(path []string) (line, column int) {
	before := d.text[:d.offset(path)]
	begins := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[begins:]) + 1
}

// name returns the key as the user wrote it: ALOUD_MODEL, --model or the quoted key of the file.
func (d *document) name(path []string) string {
	if name, ok := d.names[dotted(path)]; ok {
		return name
	}
	return strconv.Quote(path[len(path)-1])
}

// origin returns where the value at path came from: "file config.toml:3" or "flag --model".
func (d *document) origin(path []string) string {
	if d.source != "" {
		return d.source + " " + d.name(path)
	}
	line, _ := d.position(path)
	return fmt.Sprintf("file %s:%d", sanitize.Line(filepath.Base(d.file)), line)
}

// mistake returns an error about the value at path.
func (d *document) mistake(path []string, format string, args ...any) *Error {
	e := &Error{File: d.file, Text: fmt.Sprintf(format, args...)}
	if d.source == "" {
		e.Line, e.Column = d.position(path)
	}
	return e
}

func dotted(path []string) string { return strings.Join(path, ".") }
