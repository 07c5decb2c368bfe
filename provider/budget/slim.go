package budget

import (
	"bytes"
	"encoding/json"
)

// Slim makes the JSON Schema of a tool's arguments shorter without changing which arguments fit it. A schema that cannot be read
// is returned as it is.
func Slim(schema json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, schema) != nil {
		return schema
	}
	return out.Bytes()
}
