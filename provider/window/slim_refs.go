package window

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// resolved makes a shorter schema of n and what its reference leads to.
func (d *diet) resolved(n *node, ref string, p place) (out *node, whole bool) {
	target := d.target(ref)
	if target == nil {
		d.failed = true
		return n, true
	}
	beside := &node{kind: '{'}
	for i, key := range n.keys {
		if keyword := name(key); keyword != "$ref" && !d.noise(n, keyword, n.kids[i], p) {
			beside.set(key, n.kids[i])
		}
	}
	if slices.Contains(p.path, ref) {
		out, whole = again(target), false
		d.pay(out.size())
	} else {
		q := p.deeper()
		q.path = append(p.path[:len(p.path):len(p.path)], ref)
		out, whole = d.schema(target, q)
	}
	if len(beside.keys) == 0 {
		return out, whole
	}
	also, same := d.members(beside, p)
	return both(out, also), whole && same
}

// both is a schema for what fits a and b, of which b is from beside a reference. When b only describes, it is a with other words.
func both(a, b *node) *node {
	out := &node{kind: '{'}
	if a.kind != '{' || slices.ContainsFunc(b.keys, func(key string) bool { return !describes(name(key)) }) {
		out.keys, out.kids = slices.Clone(b.keys), slices.Clone(b.kids)
		if i := slices.Index(out.keys, `"allOf"`); i >= 0 && out.kids[i].kind == '[' {
			all := *out.kids[i]
			all.kids = append(slices.Clone(all.kids), a)
			out.kids[i] = &all
		} else {
			out.set(`"allOf"`, &node{kind: '[', kids: []*node{a}})
		}
		return out
	}
	for i, key := range a.keys {
		if b.get(name(key)) == nil {
			out.set(key, a.kids[i])
		}
	}
	out.keys, out.kids = append(out.keys, b.keys...), append(out.kids, b.kids...)
	return out
}

func describes(keyword string) bool {
	return keyword == "description" || keyword == "default" || keyword == "deprecated"
}

// again stands for a schema inside itself: of the same type, and anything goes.
func again(n *node) *node {
	out := &node{kind: '{'}
	if n.kind == '{' {
		if t := n.get("type"); t != nil && t.text() != "" {
			out.set(`"type"`, t)
		}
	}
	return out
}

// target is what a reference leads to inside the schema, or nil.
func (d *diet) target(ref string) *node {
	if n, known := d.seen[ref]; known {
		return n
	}
	n := follow(d.root, ref)
	d.seen[ref] = n
	return n
}

func follow(n *node, ref string) *node {
	if ref == "#" {
		return n
	}
	steps, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	for step := range strings.SplitSeq(steps, "/") {
		step, err := url.PathUnescape(step)
		if err != nil || n == nil {
			return nil
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch n.kind {
		case '{':
			n = n.get(step)
		case '[':
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.kids) {
				return nil
			}
			n = n.kids[i]
		default:
			return nil
		}
	}
	return n
}

// uses tells which definitions at the top of a schema are needed. It is nil, for all, when a reference does not lead there by its name.
func uses(root *node) map[string]bool {
	used := map[string]bool{}
	outside, definitions := split(root)
	todo := []*node{outside}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.kids...)
		for i, key := range n.keys {
			switch name(key) {
			case "$dynamicRef", "$recursiveRef", "$id":
				return nil
			case "$ref":
				definition, ok := definition(n.kids[i].text())
				if !ok {
					return nil
				}
				if definition == "" || used[definition] {
					continue
				}
				used[definition] = true
				todo = append(todo, definitions[definition]...)
			}
		}
	}
	return used
}

// split takes the definitions out of a schema.
func split(root *node) (outside *node, definitions map[string][]*node) {
	outside, definitions = &node{kind: '{'}, map[string][]*node{}
	for i, key := range root.keys {
		switch value := root.kids[i]; name(key) {
		case "$defs", "definitions":
			for k, inner := range value.keys {
				definitions[name(inner)] = append(definitions[name(inner)], value.kids[k])
			}
		case "$id":
		default:
			outside.set(key, value)
		}
	}
	return outside, definitions
}

// definition is the name of the definition that ref leads to or into, "" for the schema itself.
func definition(ref string) (named string, ok bool) {
	if ref == "#" {
		return "", true
	}
	for _, where := range []string{"#/$defs/", "#/definitions/"} {
		if rest, ok := strings.CutPrefix(ref, where); ok {
			named, _, _ = strings.Cut(rest, "/")
			return named, !strings.ContainsAny(named, "~%")
		}
	}
	return "", false
}
