package window

import "strings"

// anything is the schema that everything fits.
var anything = &node{kind: '{'}

// noise tells whether a keyword of n says nothing of the arguments to a model, or nothing that is not so without it.
func (d *diet) noise(n *node, keyword string, value *node, p place) bool {
	switch keyword {
	case "title":
		return !p.value
	case "examples", "example", "$comment", "$schema", "readOnly", "writeOnly":
		return true
	case "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$dynamicRef", "$recursiveRef":
		if n != d.root || strings.HasSuffix(keyword, "Ref") {
			d.failed = !d.keep // references may lead by these names, and mean something else behind them
		}
		return !d.keep
	case "$defs", "definitions":
		return !d.keep || d.used != nil && len(d.used) == 0 && n == d.root
	case "description":
		return !p.needed && !p.value || value.text() == ""
	case "additionalProperties", "additionalItems":
		return !d.unevaluated && (value.is("true") || value.kind == '{' && value.empty())
	case "required":
		return value.empty()
	case "default":
		return value.is("null")
	case "minLength", "minItems", "minProperties":
		return value.is("0")
	case "uniqueItems", "nullable", "deprecated", "exclusiveMinimum", "exclusiveMaximum":
		return value.is("false")
	}
	return strings.HasPrefix(keyword, "x-")
}

// brief cuts a description, given with its quotes, preferably after a sentence or a word.
func brief(quoted string) string {
	if len(quoted)-2 <= description {
		return quoted
	}
	text := quoted[1 : len(quoted)-1]
	text = text[:unit(text, description-len("…"), false)]
	if i := strings.LastIndex(text, ". "); i > description/2 {
		return `"` + text[:i+1] + `"`
	}
	if i := strings.LastIndexByte(text, ' '); i > description/2 {
		text = text[:i]
	}
	return `"` + text + `…"`
}

// loosened is the keyword to use for one whose value lets more fit than before, or "" when it has to go: among exactly one there may now be
// two, and what must not fit or decides about something else would now do so too often.
func loosened(n *node, keyword string) string {
	switch keyword {
	case "oneOf":
		if n.get("anyOf") == nil {
			return "anyOf"
		}
		return ""
	case "not", "if":
		return ""
	}
	return keyword
}

// consistent drops from a schema in which something was cut what was said of the part that is missing.
func consistent(n *node) *node {
	out := &node{kind: '{'}
	for i, key := range n.keys {
		switch name(key) {
		case "unevaluatedProperties", "unevaluatedItems", "maxContains":
			continue
		case "then", "else":
			if n.get("if") == nil {
				continue
			}
		}
		out.set(key, n.kids[i])
	}
	return out
}
