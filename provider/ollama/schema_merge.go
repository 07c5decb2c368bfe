package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/sanitize"
)

// merge resolves node's reference and takes in the schemas that hold as well ("allOf"). What node says itself wins.
// The path that comes back has the references that were followed.
func (c *converter) merge(node object, p path) (object, path) {
	for ref := node.text("$ref"); ref != ""; ref = node.text("$ref") {
		delete(node.values, "$ref")
		if slices.Contains(p, ref) {
			return again(node, ref), p
		}
		p = append(p[:len(p):len(p)], ref)
		node = combine(node, c.resolve(ref))
	}
	all := node.list("allOf")
	delete(node.values, "allOf")
	followed := p
	for _, raw := range all {
		c.nodes++
		part, ok := parseObject(raw)
		if !ok || c.exhausted(p) {
			continue
		}
		part, deeper := c.merge(part, append(p[:len(p):len(p)], ""))
		node = combine(node, part)
		followed = append(followed[:len(followed):len(followed)], deeper[len(p):]...)
	}
	return node, followed
}

// again stands for a form that contains itself.
func again(node object, ref string) object {
	if !node.has("type") {
		node.set("type", json.RawMessage(`"object"`))
	}
	node.set("description", encodeText(join(node.text("description"), "(the same form as "+lastName(ref)+" again)")))
	return node
}

// combine adds to node what part says and node does not. Required ones of both count, and a property that both have is as both say.
func combine(node, part object) object {
	for _, key := range part.keys {
		value, there := part.values[key]
		switch {
		case !there:
		case !node.has(key):
			node.set(key, value)
		case key == "properties":
			both, _ := parseObject(node.values[key])
			more, _ := parseObject(value)
			node.set(key, encode(unite("allOf", both, more)))
		case key == "required":
			node.set(key, encodeStrings(append(node.strings(key), part.strings(key)...)))
		}
	}
	return node
}

// encode writes the object back, in order.
func encode(o object) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range o.keys {
		fmt.Fprintf(&b, "%s%s:%s", strings.Repeat(",", min(i, 1)), encodeText(key), o.values[key])
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func encodeText(s string) json.RawMessage {
	encoded, _ := json.Marshal(s) // a string can always be written
	return encoded
}

func encodeStrings(list []string) json.RawMessage {
	encoded, _ := json.Marshal(list)
	return encoded
}

// resolve follows a reference within the schema. One that leads elsewhere leads to nothing: no tool may make aloud load an address.
func (c *converter) resolve(ref string) object {
	target, known := c.targets[ref]
	if !known {
		target = follow(c.root, ref)
		c.targets[ref] = target
	}
	if c.bytes += len(target); c.bytes > maxBytes {
		target = nil
	}
	o, _ := parseObject(target)
	return o
}

// follow walks the JSON pointer in ref from the root of a schema.
func follow(root json.RawMessage, ref string) json.RawMessage {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	if unescaped, err := url.PathUnescape(pointer); err == nil {
		pointer = unescaped
	}
	if pointer == "" {
		return root
	}
	at := root
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		var list []json.RawMessage
		if i, err := strconv.Atoi(step); err == nil && json.Unmarshal(at, &list) == nil && i >= 0 && i < len(list) {
			at = list[i]
			continue
		}
		o, ok := parseObject(at)
		if !ok {
			return nil
		}
		at = o.values[step]
	}
	return at
}

// alternatives brings "oneOf" and "anyOf" of node into the simplest form that says the same: a list of values, a list of types, node itself
// when only one is left, or the branches. words are what else has to be said of them.
func (c *converter) alternatives(node object, p path) (simpler object, branches []api.ToolProperty, words []string) {
	list := slices.Concat(node.list("anyOf"), node.list("oneOf"))
	if len(list) == 0 {
		return node, nil, nil
	}
	if values, meanings, ok := c.values(list, p); ok {
		node.set("enum", values)
		return node, nil, meanings
	}
	if node.has("properties") {
		flat, notes := c.flatten(node, p)
		return flat, nil, notes
	}
	branches = c.branches(list, p)
	if len(branches) == 1 {
		return c.only(node, list, p)
	}
	if names := plainTypes(branches); len(names) > 0 {
		node.set("type", encodeStrings(names))
		return node, nil, nil
	}
	return node, branches, nil
}

// only takes the one alternative that says anything into node, which then has the alternatives of that one.
func (c *converter) only(node object, list []json.RawMessage, p path) (object, []api.ToolProperty, []string) {
	delete(node.values, "anyOf")
	delete(node.values, "oneOf")
	for _, raw := range list {
		if branch, ok := parseObject(raw); ok {
			branch, p = c.merge(branch, append(p[:len(p):len(p)], ""))
			if c.nodes++; c.exhausted(p) {
				break
			}
			return c.alternatives(combine(node, branch), p)
		}
	}
	return node, nil, nil
}

// plainTypes are the names of the types when the branches say nothing but a type each.
func plainTypes(branches []api.ToolProperty) []string {
	var names []string
	for _, b := range branches {
		if len(b.Type) != 1 || b.Description != "" || b.Enum != nil || b.Items != nil || b.Properties != nil || b.AnyOf != nil {
			return nil
		}
		names = append(names, b.Type[0])
	}
	return names
}

// values reads alternatives that are each one value, {"const": "a", "title": "Apple"}, as a list of values with their meanings.
func (c *converter) values(list []json.RawMessage, p path) (values json.RawMessage, meanings []string, ok bool) {
	var all []string
	for _, raw := range list {
		branch, isObject := parseObject(raw)
		if !isObject {
			return nil, nil, false
		}
		branch, _ = c.merge(branch, p)
		only := enum(branch)
		if len(only) == 0 {
			return nil, nil, false
		}
		for _, v := range only {
			all = append(all, string(v.(json.RawMessage)))
		}
		if meaning := first(branch.text("description"), branch.text("title")); meaning != "" && len(only) == 1 {
			meanings = append(meanings, fmt.Sprintf("%s: %s", only[0], sanitize.Clip(meaning, 80)))
		}
	}
	return json.RawMessage("[" + strings.Join(all, ",") + "]"), meanings, true
}

// flatten takes the alternatives of an object into the object itself: the properties of all, required what every one requires, and a note
// for each thing that is lost by that.
func (c *converter) flatten(node object, p path) (object, []string) {
	list := slices.Concat(node.list("anyOf"), node.list("oneOf"))
	list = list[:min(len(list), maxForms)]
	var needs []string
	var common []string
	for i, raw := range list {
		c.nodes++
		branch, ok := parseObject(raw)
		if !ok || c.exhausted(p) {
			continue
		}
		branch, _ = c.merge(branch, p)
		required := branch.strings("required")
		if i == 0 {
			common = required
		}
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(required, name) })
		if len(required) > 0 {
			needs = append(needs, strings.Join(required, " and "))
		}
		delete(branch.values, "required")
		all, _ := parseObject(node.values["properties"])
		more, _ := parseObject(branch.values["properties"])
		node.set("properties", encode(unite("anyOf", all, more)))
		delete(branch.values, "properties")
		node = combine(node, branch)
	}
	delete(node.values, "anyOf")
	delete(node.values, "oneOf")
	if len(common) > 0 {
		node.set("required", encodeStrings(append(node.strings("required"), common...)))
	}
	if needs = slices.Compact(needs); len(needs) > 1 {
		return node, []string{"give either " + strings.Join(needs, ", or ")}
	}
	return node, nil
}

// unite adds to all the properties in more. One that both have, differently, is both: as either says for "anyOf", as they say together for "allOf".
func unite(keyword string, all, more object) object {
	for _, name := range more.keys {
		value, known := all.values[name]
		switch {
		case !known:
			all.set(name, more.values[name])
		case !bytes.Equal(value, more.values[name]):
			list := []json.RawMessage{value}
			if joined, _ := parseObject(value); slices.Equal(joined.keys, []string{keyword}) {
				list = joined.list(keyword)
			}
			encoded, _ := json.Marshal(map[string]any{keyword: append(list, more.values[name])}) // of values that were just read
			all.set(name, encoded)
		}
	}
	return all
}
