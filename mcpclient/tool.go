package mcpclient

import (
	"encoding/json"
	"errors"
)

// Tool is a tool of a server.
type Tool struct {
	Name        string // for the model: unique over all servers, "server__tool", [a-zA-Z0-9_-], at most 64 bytes
	Server      string // the server's name in the configuration
	ServerTool  string // the server's name for it
	BuiltIn     string // the built-in server that has it, "files"; may be ""
	Title       string // may be ""
	Description string
	Schema      json.RawMessage // the JSON Schema of the arguments, as the server sent it
	Trusted     bool            // its hints are believed
	ReadOnly    bool            // hint: changes nothing
	Destructive bool            // hint: may delete or overwrite
	Idempotent  bool            // hint: calling it again changes nothing
	OpenWorld   bool            // hint: reaches beyond this machine
	Output      json.RawMessage // the JSON Schema of structured content; may be empty
}

// Result is the result of a call, in the form that the model reads.
type Result struct {
	Text   string // all content as text, never empty
	Failed bool   // the tool reported an error
	// nothing was changed, because what the preview was made from is no longer there
	Outdated bool
	Sources  []string // URIs of resource links and embedded resources
	Images   [][]byte // decoded

	Structured json.RawMessage // structured content as the server sent it; may be empty
	Odd        string          // how Structured differs from the tool's output schema, sanitized; "" if unknown
}

// Progress is a progress notification of a running call.
type Progress struct {
	Done, Total float64 // Total is 0 if unknown
	Message     string
}

// The errors of a call that was cancelled.
var (
	// ErrUnconfirmed means that the server may still be working on it.
	ErrUnconfirmed = errors.New("the server may still be working on it")
	// ErrUnasked means that it was not sent.
	ErrUnasked = errors.New("it was not sent to the server")
)
