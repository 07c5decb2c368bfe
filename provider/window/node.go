package window

import (
	"encoding/json"
	"slices"
	"strings"
)

// node is a JSON value whose parts can be left out and exchanged. Nodes are shared and never change.
type node struct {
	kind byte     // '{', '[' or 0
	raw  string   // of anything else, as it was written
	keys []string // of an object, as they were written: with quotes
	kids []*node
}

// tree reads a JSON object. ok is false for anything else.
func tree(text string) (n *node, ok bool) {
	s, ok := look(text)
	if !ok || s.values != 1 {
		return nil, false
	}
	start := 0
	for isWhite(text[start]) {
		start++
	}
	n = s.node(start, len(text))
	return n, n.kind == '{'
}

func (s *survey) node(start, end int) *node {
	kind := s.text[start]
	if kind != '{' && kind != '[' {
		return &node{raw: s.text[start:end]}
	}
	n := &node{kind: kind}
	s.members(kind, start+1, func(m member) bool {
		if kind == '{' {
			n.keys = append(n.keys, s.text[m.key:m.keyEnd])
		}
		n.kids = append(n.kids, s.node(m.start, m.end))
		return true
	})
	return n
}

// get is the value at a key of an object, or nil. Of a key that comes twice the last value counts.
func (n *node) get(key string) *node {
	for i, quoted := range slices.Backward(n.keys) {
		if name(quoted) == key {
			return n.kids[i]
		}
	}
	return nil
}

// text is the string that n is, or "". It may be nil.
func (n *node) text() string {
	if n == nil || n.kind != 0 || n.raw[0] != '"' {
		return ""
	}
	return name(n.raw)
}

// is tells whether n is the scalar raw. It may be nil.
func (n *node) is(raw string) bool { return n != nil && n.kind == 0 && n.raw == raw }

// texts are the strings in the list n, which may be nil.
func (n *node) texts() map[string]bool {
	texts := map[string]bool{}
	if n != nil && n.kind == '[' {
		for _, kid := range n.kids {
			texts[kid.text()] = true
		}
	}
	return texts
}

func (n *node) empty() bool { return n.kind != 0 && len(n.kids) == 0 }

// set adds a member to an object that nobody else has yet.
func (n *node) set(key string, value *node) {
	n.keys = append(n.keys, key)
	n.kids = append(n.kids, value)
}

// size is how long n is when it is written.
func (n *node) size() int {
	if n.kind == 0 {
		return len(n.raw)
	}
	sum := 2 + max(0, len(n.kids)-1)
	for i, kid := range n.kids {
		sum += kid.size()
		if n.kind == '{' {
			sum += len(n.keys[i]) + 1
		}
	}
	return sum
}

// write appends n to out.
func (n *node) write(out []byte) []byte {
	if n.kind == 0 {
		return append(out, n.raw...)
	}
	out = append(out, n.kind)
	for i, kid := range n.kids {
		if i > 0 {
			out = append(out, ',')
		}
		if n.kind == '{' {
			out = append(append(out, n.keys[i]...), ':')
		}
		out = kid.write(out)
	}
	return append(out, n.kind+2)
}

// name is what a string of JSON says.
func name(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(quoted), &text) // it has been checked
	return text
}
