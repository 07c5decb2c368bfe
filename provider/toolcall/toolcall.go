// Package toolcall is about what models make of tool calls and how it is understood: thinking between tags in the answer, calls that are
// written as text, and arguments that are nearly right.
package toolcall

import "encoding/json"

// Call is a call that a model wrote as text.
type Call struct {
	Name string
	// Arguments are a JSON object, or whatever else the model gave in its place; Schemas.Check settles which.
	Arguments json.RawMessage
}
