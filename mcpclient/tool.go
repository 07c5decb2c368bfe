package mcpclient

import "encoding/json"

// Tool is one tool of one server, as the rest of aloud sees it.
type Tool struct {
	Name        string // towards the model: unique over all servers, "server__tool", [a-zA-Z0-9_-], at most 64 bytes
	Server      string // the server's name in the configuration
	ServerTool  string // what the server calls it
	Title       string // the server's title for it, or ""
	Description string
	Schema      json.RawMessage // the JSON Schema of the arguments, as the server sent it
	Trusted     bool            // built in or marked trusted: its hints may widen what runs without asking
	ReadOnly    bool            // hint: changes nothing
	Destructive bool            // hint: may delete or overwrite
	Idempotent  bool            // hint: calling twice is calling once
	OpenWorld   bool            // hint: reaches beyond this machine
	Output      json.RawMessage // the JSON Schema of what it gives besides content; empty: it announces nothing
	tasks       bool            // its calls may begin a task
}

// Progress is one notification of a running call.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}
