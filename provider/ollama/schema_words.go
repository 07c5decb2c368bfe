package ollama

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/sanitize"
)

// constraints says in words what Ollama's form of a schema has no place for: `default 10`, `at least 1`.
func constraints(node object) []string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if node.has("default") {
		say("default %s", compact(node.values["default"]))
	}
	if format := node.text("format"); format != "" {
		say("format %s", sanitize.Clip(format, 40))
	}
	if pattern := node.text("pattern"); pattern != "" {
		say("matching %s", sanitize.Clip(pattern, 80))
	}
	words = append(words, bounds(node)...)
	if n, ok := node.number("multipleOf"); ok {
		say("a multiple of %s", n)
	}
	words = append(words, counts(node, "Length", "character")...)
	words = append(words, counts(node, "Items", "item")...)
	words = append(words, counts(node, "Properties", "key")...)
	if node.isTrue("uniqueItems") {
		say("no item twice")
	}
	if encoding := node.text("contentEncoding"); encoding != "" {
		say("encoded as %s", sanitize.Clip(encoding, 40))
	}
	if node.has("not") {
		say("not %s", compact(node.values["not"]))
	}
	if examples := node.list("examples"); len(examples) > 0 {
		say("for example %s", compact(examples[0]))
	}
	if node.isTrue("deprecated") {
		say("deprecated")
	}
	return words
}

// bounds says the limits of a number. In old schemas "exclusiveMinimum" is a boolean that changes what "minimum" means.
func bounds(node object) []string {
	var words []string
	for _, side := range []struct{ key, exclusive, with, without string }{
		{"minimum", "exclusiveMinimum", "at least", "more than"},
		{"maximum", "exclusiveMaximum", "at most", "less than"},
	} {
		if n, ok := node.number(side.key); ok {
			word := side.with
			if node.isTrue(side.exclusive) {
				word = side.without
			}
			words = append(words, fmt.Sprintf("%s %s", word, n))
		}
		if n, ok := node.number(side.exclusive); ok {
			words = append(words, fmt.Sprintf("%s %s", side.without, n))
		}
	}
	return words
}

// counts says how many of unit there may be.
func counts(node object, suffix, unit string) []string {
	var words []string
	for _, side := range []struct{ key, word string }{{"min" + suffix, "at least"}, {"max" + suffix, "at most"}} {
		n, ok := node.number(side.key)
		if !ok || side.word == "at least" && n == "0" {
			continue
		}
		plural := "s"
		if n == "1" {
			plural = ""
		}
		words = append(words, fmt.Sprintf("%s %s %s%s", side.word, n, unit, plural))
	}
	return words
}

// dependents says which properties have to come with another: "dependentRequired", in old schemas "dependencies".
func dependents(node object) []string {
	var words []string
	for _, key := range []string{"dependentRequired", "dependencies"} {
		all, _ := parseObject(node.values[key])
		for _, name := range all.keys {
			if also := all.strings(name); len(also) > 0 {
				words = append(words, "with "+name+" also "+strings.Join(also, " and "))
			}
		}
	}
	return words
}

// sentence writes words as one: "Give either id, or name."
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:] + "."
}

// describe adds words to a description: "How many lines. (default 10, at least 1)".
func describe(description string, words []string) string {
	if len(words) == 0 {
		return description
	}
	return join(description, "("+strings.Join(words, ", ")+")")
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// first returns the first of two texts that is not empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// lastName is the last part of a reference, "#/$defs/Node" → "Node".
func lastName(ref string) string {
	name := ref[strings.LastIndex(ref, "/")+1:]
	if name == "" || name == "#" {
		return "the whole"
	}
	return name
}

// compact writes a value of a schema on one short line.
func compact(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return sanitize.Clip(string(raw), 60)
	}
	if s, ok := value.(string); ok && s != "" && !strings.ContainsAny(s, "\n,()") {
		return sanitize.Clip(s, 60)
	}
	return sanitize.Clip(strings.Join(strings.Fields(string(raw)), " "), 60)
}
