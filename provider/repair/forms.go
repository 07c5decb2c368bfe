package repair

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The keys of calls in the forms of different models.
var (
	nameKeys     = []string{"name", "function", "tool", "tool_name", "function_name", "action"}
	argumentKeys = []string{"arguments", "parameters", "args", "input", "params", "action_input",
		"tool_input", "tool_args", "tool_arguments"}
	containerKeys = []string{"tool_calls", "tool_call", "function_call", "calls"}
	otherKeys     = []string{"type", "id", "index", "role", "content"} // can be ignored
	callKeys      = slices.Concat(nameKeys, argumentKeys, containerKeys, otherKeys)
)

// jsonCalls returns the calls in a JSON value: an object, a list, or an object around these. It returns nil if the
// value is or contains anything else.
func (r *reader) jsonCalls(raw json.RawMessage, depth int) (calls []textCall) {
	const maxDepth = 4
	var list []json.RawMessage
	switch {
	case len(raw) == 0 || depth > maxDepth:
		return nil
	case json.Unmarshal(raw, &list) == nil:
		for _, element := range list {
			more := r.jsonCalls(element, depth+1)
			if len(more) == 0 {
				return nil
			}
			calls = append(calls, more...)
		}
		return calls
	}
	var name, arguments, container json.RawMessage
	for key, value := range fieldsOf(raw) {
		switch {
		case slices.Contains(nameKeys, key) && name == nil:
			name = value
		case slices.Contains(argumentKeys, key) && arguments == nil:
			arguments = value
		case slices.Contains(containerKeys, key) && container == nil:
			container = value
		case !slices.Contains(otherKeys, key), key == "content" && string(value) != `""` && string(value) != "null":
			return nil
		}
	}
	switch {
	case container != nil && name == nil && arguments == nil:
		return r.jsonCalls(container, depth+1)
	case container != nil || name == nil:
		return nil
	case name[0] == '{' && arguments == nil: // {"type": "function", "function": {…}}
		return r.jsonCalls(name, depth+1)
	}
	var call textCall
	if json.Unmarshal(name, &call.Name) != nil || !r.known(call.Name) || r.strict && arguments == nil {
		return nil
	}
	if call.Arguments = arguments; len(arguments) == 0 {
		call.Arguments = json.RawMessage("{}")
	}
	if depth > 0 {
		call.Text = string(raw)
	}
	return []textCall{call}
}

// fieldsOf returns the members of a JSON object. It returns nil for anything else, and if a name stands twice.
func fieldsOf(raw json.RawMessage) map[string]json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		var value json.RawMessage
		key, err := d.Token()
		name, _ := key.(string)
		if _, again := fields[name]; err != nil || again || d.Decode(&value) != nil {
			return nil
		}
		fields[name] = value
	}
	return fields
}
