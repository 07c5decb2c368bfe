package window

import (
	"encoding/json"
	"strings"
)

// Bounds of Slim. References can make a short schema endless.
const (
	growth      = 4         // times the length of a schema that may come of it when its references are resolved
	largest     = 256 << 10 // bytes of a schema that is looked at
	description = 200       // bytes of the description of a required argument
)

// Slim makes the JSON Schema of a tool's arguments shorter: what says nothing of the arguments goes, as do the descriptions of optional
// ones; those of required ones are cut. References inside the schema are resolved, and one that leads to itself is cut where it comes
// again. All arguments that fit the schema fit what comes of it. The order stays, and the same schema always gives the same result.
//
// It is at most four times as long as the schema: one whose references unfold to more, or lead elsewhere, keeps them and is not longer than
// before. A schema that cannot be read, is no object or has more than 256 KB is returned as it is.
func Slim(schema json.RawMessage) json.RawMessage {
	if len(schema) > largest {
		return schema
	}
	text := string(schema)
	root, ok := tree(text)
	if !ok {
		return schema
	}
	d := diet{root: root, left: growth * len(text), seen: map[string]*node{}, unevaluated: strings.Contains(text, "unevaluated")}
	slim, _ := d.schema(root, place{path: []string{"#"}, needed: true})
	if d.failed || slim.size() > growth*len(text) {
		d = diet{root: root, keep: true, unevaluated: d.unevaluated, used: uses(root)}
		slim, _ = d.schema(root, place{needed: true})
	}
	return slim.write(nil)
}

// diet makes one schema shorter.
type diet struct {
	root        *node
	left        int              // bytes that may come of it yet
	failed      bool             // more would come of it, or a reference leads elsewhere
	seen        map[string]*node // what references lead to
	unevaluated bool             // the schema has keywords for which it matters that others are there

	keep bool            // references stay where they are
	used map[string]bool // then: the definitions that are needed; nil: all
}

// place is where in the result a schema is.
type place struct {
	path   []string // references that led here
	depth  int
	needed bool // every argument around it is required
	value  bool // it allows one value, which its title and description explain
}

func (p place) deeper() place {
	p.depth++
	return p
}

// schema makes n shorter. whole is false when something in it was cut, so that more fits it than before.
func (d *diet) schema(n *node, p place) (out *node, whole bool) {
	if d.failed {
		return n, true
	}
	if n.kind != '{' {
		d.pay(n.size())
		return n, true
	}
	d.pay(len("{}") + len(n.keys)) // looking at keys that are dropped is not free either
	p.value = n.get("const") != nil
	if !d.keep {
		if p.depth > levels {
			return anything, false
		}
		if ref := n.get("$ref"); ref != nil {
			return d.resolved(n, ref.text(), p)
		}
	}
	return d.members(n, p)
}

// members makes the keywords of n shorter.
func (d *diet) members(n *node, p place) (out *node, whole bool) {
	out, whole = &node{kind: '{'}, true
	for i, key := range n.keys {
		keyword, value := name(key), n.kids[i]
		if d.noise(n, keyword, value, p) {
			continue
		}
		value, same := d.value(n, keyword, value, p)
		d.pay(len(key) + 2)
		whole = whole && same
		if !same {
			if keyword = loosened(n, keyword); keyword == "" {
				continue
			}
			key = `"` + keyword + `"`
		}
		out.set(key, value)
	}
	if whole {
		return out, true
	}
	return consistent(out), false
}

// pay counts what was written. More than there is to spend ends the work.
func (d *diet) pay(n int) {
	if d.left -= n; d.left < 0 && !d.keep {
		d.failed = true
	}
}

// value makes the value of one keyword of n shorter.
func (d *diet) value(n *node, keyword string, value *node, p place) (out *node, whole bool) {
	switch keyword {
	case "description":
		value = &node{raw: brief(value.raw)} // no other value gets here
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
		required := n.get("required").texts()
		return d.each(value, func(name string, kid *node) (place, bool) {
			q := p.deeper()
			switch keyword {
			case "properties":
				q.needed = p.needed && (required[name] || kid.requiresItself())
			case "$defs", "definitions":
				return q, p.depth > 0 || d.used == nil || d.used[name]
			}
			return q, true
		})
	case "items", "allOf", "anyOf", "oneOf", "prefixItems":
		if value.kind == '[' {
			return d.each(value, func(string, *node) (place, bool) { return p.deeper(), true })
		}
		return d.schema(value, p.deeper())
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else",
		"propertyNames", "contentSchema":
		return d.schema(value, p.deeper())
	}
	d.pay(value.size())
	return value, true
}

// each makes schemas in an object or a list shorter, each for the place that where tells, unless it is to go.
func (d *diet) each(n *node, where func(name string, kid *node) (place, bool)) (out *node, whole bool) {
	if n.kind == 0 {
		d.pay(n.size())
		return n, true
	}
	out, whole = &node{kind: n.kind}, true
	d.pay(len("[]") + len(n.kids))
	for i, kid := range n.kids {
		key := ""
		if n.kind == '{' {
			key = name(n.keys[i])
		}
		p, stays := where(key, kid)
		if !stays {
			continue
		}
		slim, same := d.schema(kid, p)
		whole = whole && same
		if n.kind == '[' {
			out.kids = append(out.kids, slim)
			continue
		}
		d.pay(len(n.keys[i]) + 1)
		out.set(n.keys[i], slim)
	}
	return out, whole
}

// requiresItself tells whether a property has the "required": true of old schemas.
func (n *node) requiresItself() bool { return n.kind == '{' && n.get("required").is("true") }
