package loop

import (
	"encoding/json"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// slimText is how many bytes of a description are kept.
const slimText = 100

// slim shortens a JSON Schema: it truncates descriptions and drops titles, examples and comments. It keeps all rules
// and their order, and returns a schema it cannot parse as it is.
func slim(schema json.RawMessage) json.RawMessage {
	value, ok := jsonschema.Decode(schema)
	if !ok {
		return schema
	}
	return jsonschema.Encode(slimValue(value))
}

// slimValue shortens part of a schema. If an argument has the name of a keyword, its value is an object.
func slimValue(value any) any {
	if list, ok := value.([]any); ok {
		for i := range list {
			list[i] = slimValue(list[i])
		}
		return list
	}
	object, ok := value.(*jsonschema.Object)
	if !ok {
		return value
	}
	out := jsonschema.NewObject()
	for _, key := range object.Keys {
		value := object.Values[key]
		text, isText := value.(string)
		_, isList := value.([]any)
		switch {
		case isText && key == "description":
			value = shorten(text, slimText)
		case isText && (key == "title" || key == "$comment" || key == "$schema"), isList && key == "examples":
			continue
		case key != "const" && key != "enum" && key != "default":
			value = slimValue(value)
		}
		out.Set(key, value)
	}
	return out
}
