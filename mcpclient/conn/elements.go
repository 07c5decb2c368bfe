package conn

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// items returns the members of a list in an answer, so many at most, and how many more there are. A list that is missing has none; what stands in its
// place and is no list is an error.
func items(answer json.RawMessage, member string, most int) (list []json.RawMessage, more int, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		return nil, 0, err
	}
	list, more, isList := elements(fields[member], most)
	if raw := fields[member]; !isList && len(raw) > 0 && string(raw) != "null" {
		return nil, 0, fmt.Errorf("%s is not a list", member)
	}
	return list, more, nil
}

// elements are those of a list, which must be valid JSON, so many at most, and how many more there are. They are parts of the list, not copies: a
// list of millions of small ones would take many times its size as values of Go.
func elements(list json.RawMessage, most int) (all []json.RawMessage, more int, isList bool) {
	list = bytes.TrimSpace(list)
	if len(list) == 0 || list[0] != '[' {
		return nil, 0, false
	}
	take := func(one []byte) {
		switch one = bytes.TrimSpace(one); {
		case len(one) == 0: // of an empty list
		case len(all) < most:
			all = append(all, one)
		default:
			more++
		}
	}
	depth, start, inString := 0, 1, false
	for i := 1; i < len(list); i++ {
		switch c := list[i]; {
		case inString && c == '\\':
			i++ // what it escapes ends no string
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ']' || c == '}'):
			depth--
		case depth == 0 && (c == ',' || c == ']'):
			take(list[start:i])
			start = i + 1
		}
	}
	return all, more, true
}

// andMore says that a list has more elements than are read.
func andMore(more int) string { return fmt.Sprintf("[… and %d more]", more) }
