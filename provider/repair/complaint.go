package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// complain returns a text for the model about the faults of its arguments and the arguments that the tool has.
func complain(root jsonschema.Schema, faults []jsonschema.Fault) string {
	const limit = 5
	var texts []string
	for _, f := range faults {
		texts = append(texts, describe(f))
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	var out strings.Builder
	out.WriteString("The arguments do not fit the tool.")
	for _, text := range texts[:min(len(texts), limit)] {
		out.WriteString(" " + sanitize.Clip(text, 180) + ".")
	}
	if more := len(texts) - limit; more > 0 {
		fmt.Fprintf(&out, " And %d more.", more)
	}
	return out.String() + "\n" + strings.TrimSpace(knownArguments(root)+" Call it again with these corrected.")
}

// describe describes a fault: `edits[0].line: expected integer, got "one"`.
func describe(f jsonschema.Fault) string {
	path := ""
	for _, step := range f.Path {
		if _, err := strconv.Atoi(step); err == nil {
			path += "[" + step + "]"
		} else {
			path = memberPath(path, step)
		}
	}
	text := cmp.Or(sanitize.Clip(path, 80), "The arguments") + ": " + sanitize.Clip(f.Text, 120)
	if f.Kind == jsonschema.Missing || f.Kind == jsonschema.Unwanted {
		return text
	}
	return text + ", got " + jsonschema.Brief(f.Got)
}

// knownArguments lists the arguments of the tool, required ones first.
func knownArguments(root jsonschema.Schema) string {
	known, required := root.Properties(), map[string]bool{}
	for _, part := range root.Reach(jsonschema.Implied) {
		for _, name := range part.Required() {
			required[name] = true
		}
	}
	if len(known) == 0 && closed(root) {
		return " The tool takes no arguments."
	}
	if len(known) == 0 {
		return ""
	}
	slices.SortStableFunc(known, func(a, b jsonschema.Member) int {
		return strings.Compare(strconv.FormatBool(required[b.Name]), strconv.FormatBool(required[a.Name])) // true first
	})
	var texts []string
	for _, member := range known {
		text := strings.Join(typesOf(member.Schema), " or ")
		if values, listed := member.Values(); listed {
			text = jsonschema.Listed(values, 90)
		}
		if required[member.Name] {
			text = strings.TrimPrefix(text+", required", ", ")
		}
		name := memberPath("", sanitize.Clip(member.Name, 40))
		if text != "" {
			name += " (" + text + ")"
		}
		texts = append(texts, name)
	}
	return " Known arguments: " + sanitize.Clip(strings.Join(texts, ", "), 400) + "."
}

// typesOf returns the types that a schema allows, nil for any.
func typesOf(s jsonschema.Schema) []string {
	var types []string
	for _, part := range s.Reach(jsonschema.InPlace) {
		types = append(types, part.Types()...)
	}
	return jsonschema.InOrder(types)
}

// closed reports whether a schema allows no other members.
func closed(s jsonschema.Schema) bool {
	rest, ok := s.Sub("additionalProperties")
	return ok && rest.IsFalse()
}

// memberPath returns the path of a member.
func memberPath(path, key string) string {
	if !plainKey().MatchString(key) {
		key = jsonschema.Quoted(key, 60)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// plainKey matches keys that need no quotes.
var plainKey = sanitize.Pattern(`^[A-Za-z0-9_./:-]{1,128}$`)
