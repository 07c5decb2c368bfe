// Package printed finds what models print into their text that is no text: thinking between tags, and calls of tools.
package printed

import "encoding/json"

// Call is a call that a model wrote as text.
type Call struct {
	Name string
	// Arguments are a JSON object, or whatever else the model gave in its place; arguments.Checker settles which.
	Arguments json.RawMessage
	Text      string // the call as the model wrote it
}
