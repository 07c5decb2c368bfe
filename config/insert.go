package config

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// insertAllowed writes a quoted pattern into the text where a person would: at the end of the array, else below [approval],
// else at the end of the file. It looks at the text only; whether the result means what it should is the caller's to check.
func insertAllowed(text []byte, pattern string) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte(bom)); ok {
		return append([]byte(bom), insertAllowed(rest, pattern)...)
	}
	e := &editor{text: text, newline: newlineOf(text)}
	list := "allow = [" + pattern + "]"

	var table []string
	header, pair := -1, -1 // ends of the lines of [approval] and of the last approval.key = … outside of it
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		node := parser.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			var last int
			if table, last = keyOf(node); slices.Equal(table, []string{"approval"}) {
				header = e.lineEnd(last)
			}
		case unstable.KeyValue:
			key, _ := keyOf(node)
			key = slices.Concat(table, key)
			end := int(node.Raw.Offset + node.Raw.Length)
			switch {
			case slices.Equal(key, []string{"approval", "allow"}):
				return e.element(node.Value(), end, pattern)
			case slices.Equal(key, []string{"approval"}):
				return e.inline(node.Value(), end, pattern)
			case len(table) == 0 && key[0] == "approval":
				pair = e.lineEnd(end)
			}
		}
	}
	switch {
	case header >= 0:
		return e.insert(header, e.newline+list)
	case pair >= 0:
		return e.insert(pair, e.newline+"approval."+list)
	}
	return e.insert(len(text), e.separation()+"[approval]"+e.newline+list+e.newline)
}

// editor makes one change to a text in the text's own layout.
type editor struct {
	text    []byte
	newline string
}

func (e *editor) insert(at int, s string) []byte {
	return slices.Concat(e.text[:at], []byte(s), e.text[at:])
}

// element puts the pattern behind the last element of an array that ends at end.
func (e *editor) element(array *unstable.Node, end int, pattern string) []byte {
	first, last := -1, -1 // start of the first element, end of the last
	for elements := array.Children(); elements.Next(); {
		raw := elements.Node().Raw
		if first < 0 {
			first = int(raw.Offset)
		}
		last = int(raw.Offset + raw.Length)
	}
	switch {
	case first < 0:
		return e.insert(end-1, pattern)
	case e.lineEnd(last) >= end:
		return e.insert(last, ", "+pattern)
	}
	// The array goes on below: the pattern gets a line of its own behind the comma and the comment of the last element.
	line := e.text[bytes.LastIndexByte(e.text[:first], '\n')+1 : first]
	indent := string(line)
	if len(bytes.TrimSpace(line)) > 0 {
		indent = "  "
	}
	behind := e.lineEnd(last)
	if bytes.HasPrefix(bytes.TrimLeft(e.text[last:behind], " \t"), []byte(",")) {
		return e.insert(behind, e.newline+indent+pattern+",")
	}
	return slices.Concat(e.text[:last], []byte(","), e.text[last:behind], []byte(e.newline+indent+pattern), e.text[behind:])
}

// inline puts the pattern into approval = { … }, which ends at end.
func (e *editor) inline(table *unstable.Node, end int, pattern string) []byte {
	last := -1
	for pairs := table.Children(); pairs.Next(); {
		pair := pairs.Node()
		last = int(pair.Raw.Offset + pair.Raw.Length)
		if key, _ := keyOf(pair); slices.Equal(key, []string{"allow"}) {
			return e.element(pair.Value(), last, pattern)
		}
	}
	if last < 0 {
		return e.insert(end-1, " allow = ["+pattern+"] ")
	}
	return e.insert(last, ", allow = ["+pattern+"]")
}

// separation is what stands between the text and a new table.
func (e *editor) separation() string {
	switch {
	case len(e.text) == 0:
		return ""
	case !bytes.HasSuffix(e.text, []byte("\n")):
		return e.newline + e.newline
	default:
		return e.newline
	}
}

// lineEnd is where the line of the byte at ends, before its newline.
func (e *editor) lineEnd(at int) int {
	n := bytes.IndexByte(e.text[at:], '\n')
	if n < 0 {
		return len(e.text)
	}
	return at + len(bytes.TrimSuffix(e.text[at:at+n], []byte("\r")))
}

// keyOf returns the parts of a node's key and where the last one ends.
func keyOf(node *unstable.Node) (key []string, end int) {
	for parts := node.Key(); parts.Next(); {
		raw := parts.Node().Raw
		key = append(key, string(parts.Node().Data))
		end = int(raw.Offset + raw.Length)
	}
	return key, end
}
