package repair

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// What the parts of a call are called in the forms of different models.
var (
	nameKeys      = []string{"name", "function", "tool", "tool_name", "function_name", "action"}
	argumentKeys  = []string{"arguments", "parameters", "args", "input", "params", "action_input", "tool_input", "tool_args", "tool_arguments"}
	containerKeys = []string{"tool_calls", "tool_call", "function_call", "calls"}
	otherKeys     = []string{"type", "id", "index", "role", "content"} // say nothing that is missed
	callKeys      = slices.Concat(nameKeys, argumentKeys, containerKeys, otherKeys)
)

// calls are what the items say, nil when one of them says anything but calls of tools that exist.
func (s *scanner) calls() []textCall {
	if s.in != nil {
		return nil // within something that never ended
	}
	var calls []textCall
	for _, it := range s.items {
		text := s.text[it.from:it.to]
		var more []textCall
		switch it.form {
		case jsonItem:
			more = s.callsOf(mendJSON(text), 0)
		case namedItem:
			if fixed := mendJSON(text); fixed != nil {
				more = []textCall{{it.name, fixed, ""}}
			}
		case xmlItem:
			more = []textCall{{it.name, parameters(text), ""}}
		case pyItem:
			more = s.pythonCalls(text)
		}
		if len(more) == 0 {
			return nil
		}
		for i := range more {
			if more[i].Text == "" {
				more[i].Text = string(s.text[it.start:it.to])
			}
		}
		calls = append(calls, more...)
	}
	return calls
}

// callsOf reads calls in one of the many forms: an object, a list of them, or an object around these.
func (s *scanner) callsOf(raw json.RawMessage, depth int) []textCall {
	const deep = 4
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || depth > deep {
		return nil
	}
	if raw[0] == '[' {
		return s.callsOfList(raw, depth)
	}
	var fields map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for _, key := range containerKeys {
		if inner, ok := fields[key]; ok && onlyKnown(fields, []string{key}) {
			return s.callsOf(inner, depth+1)
		}
	}
	calls := s.callOf(fields, depth)
	if depth > 0 && len(calls) == 1 {
		calls[0].Text = string(raw)
	}
	return calls
}

func (s *scanner) callsOfList(raw json.RawMessage, depth int) []textCall {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var calls []textCall
	for _, element := range list {
		more := s.callsOf(element, depth+1)
		if len(more) == 0 {
			return nil
		}
		calls = append(calls, more...)
	}
	return calls
}

// callOf reads one call: a name, arguments, and nothing that would be lost.
func (s *scanner) callOf(fields map[string]json.RawMessage, depth int) []textCall {
	nameKey, argumentKey := oneOf(fields, nameKeys), oneOf(fields, argumentKeys)
	if nameKey == "" || argumentKey == "" && len(presentOf(fields, argumentKeys)) > 0 || !onlyKnown(fields, []string{nameKey, argumentKey}) {
		return nil
	}
	if value := bytes.TrimSpace(fields[nameKey]); nameKey == "function" && value[0] == '{' && argumentKey == "" {
		return s.callsOf(value, depth+1)
	}
	var name string
	if json.Unmarshal(fields[nameKey], &name) != nil || !s.known(name) || s.among && argumentKey == "" {
		return nil
	}
	return []textCall{{name, unwrapped(fields[argumentKey]), ""}}
}

// oneOf is the one of the keys that the fields have, "" when they have none or several.
func oneOf(fields map[string]json.RawMessage, keys []string) string {
	if present := presentOf(fields, keys); len(present) == 1 {
		return present[0]
	}
	return ""
}

func presentOf(fields map[string]json.RawMessage, keys []string) (present []string) {
	for _, key := range keys {
		if _, ok := fields[key]; ok {
			present = append(present, key)
		}
	}
	return present
}

// onlyKnown reports whether the fields are these, and others that say nothing.
func onlyKnown(fields map[string]json.RawMessage, these []string) bool {
	for key, value := range fields {
		switch text := string(value); {
		case slices.Contains(these, key):
		case !slices.Contains(otherKeys, key):
			return false
		case key == "content" && text != `""` && text != "null":
			return false
		}
	}
	return true
}

// unwrapped makes arguments of the forms they are printed in: none, or JSON in a string.
func unwrapped(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return json.RawMessage("{}")
	}
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if inside := strings.TrimSpace(text); strings.HasPrefix(inside, "{") {
		if fixed := mendJSON([]byte(inside)); fixed != nil {
			return fixed
		}
	}
	return raw
}
