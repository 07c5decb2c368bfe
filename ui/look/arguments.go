package look

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Members returns the names and values of a JSON object, in their order. It stops where the JSON is invalid.
func Members(raw json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(raw))
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return
		}
		for d.More() {
			name, err := d.Token()
			var value json.RawMessage
			if err != nil || d.Decode(&value) != nil {
				return
			}
			if name, _ := name.(string); !yield(name, value) {
				return
			}
		}
	}
}

// Arguments draws the arguments of a call in full, each as "name: value". What goes on in the next row is behind a bar,
// so that no value looks like another argument.
func (l *Look) Arguments(raw json.RawMessage, width int) []string {
	const indent = "  "
	bar := l.Faint.Render("│ ")
	var rows []string
	add := func(name, value string) {
		text := l.Method.Hardwrap(name+value, max(4, width-len(indent)-3), true)
		for i, row := range strings.Split(text, "\n") {
			switch rest, ok := strings.CutPrefix(row, name); {
			case i > 0:
				row = bar + row
			case ok:
				row = l.Dim.Render(name) + rest
			}
			rows = append(rows, indent+row)
		}
	}
	if text := bytes.TrimSpace(raw); len(text) == 0 || text[0] != '{' || !json.Valid(raw) {
		add("", JSON(raw))
		return rows
	}
	for name, value := range Members(raw) {
		add(sanitize.Visible(name)+": ", argument(value))
	}
	if len(rows) == 0 {
		return []string{indent + l.Dim.Render("no arguments")}
	}
	return rows
}

// argument returns a value as it is read best: a text without quotes, unless it would look like another value, and
// everything else as JSON.
func argument(value json.RawMessage) string {
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return JSON(value)
	}
	if strings.TrimSpace(text) != text || text == "" || json.Valid([]byte(text)) {
		return sanitize.Visible(strconv.Quote(text))
	}
	return visible(text)
}
