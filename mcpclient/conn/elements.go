package conn

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// items returns at most limit items of the list in a result, and how many more it has. A missing list is empty.
func items(result json.RawMessage, member string, limit int) (list []json.RawMessage, more int, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(result, &fields); err != nil {
		return nil, 0, err
	}
	list, more, isList := elements(fields[member], limit)
	if raw := fields[member]; !isList && len(raw) > 0 && string(raw) != "null" {
		return nil, 0, fmt.Errorf("%s is not a list", member)
	}
	return list, more, nil
}

// elements returns at most limit elements of a list, which must be valid JSON, and how many more it has. They are
// slices of the list, not copies, because millions of small Go values would take many times its size.
func elements(list json.RawMessage, limit int) (all []json.RawMessage, more int, isList bool) {
	list = bytes.TrimSpace(list)
	if len(list) == 0 || list[0] != '[' {
		return nil, 0, false
	}
	take := func(one []byte) {
		switch one = bytes.TrimSpace(one); {
		case len(one) == 0: // the list is empty
		case len(all) < limit:
			all = append(all, one)
		default:
			more++
		}
	}
	depth, start, inString := 0, 1, false
	for i := 1; i < len(list); i++ {
		switch c := list[i]; {
		case inString && c == '\\':
			i++ // skip the escaped character
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

// andMore returns the text for list items that were not read.
func andMore(more int) string { return fmt.Sprintf("[… and %d more]", more) }
