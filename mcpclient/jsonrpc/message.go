// Package jsonrpc has the messages of MCP, and the [Wire] on which they are exchanged with a server: a process, a
// server in this process, or one over the old SSE.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// Message is a JSON-RPC message. A request has an ID and a Method, a notification only a Method, and a response only an
// ID, which may be missing from an error.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"` // any number or text; mcp.RequestId rounds large numbers
	Method mcp.MCPMethod   `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (m Message) MarshalJSON() ([]byte, error) {
	type plain Message
	return json.Marshal(struct {
		Version string `json:"jsonrpc"`
		plain
	}{mcp.JSONRPC_VERSION, plain(m)})
}

// Parse parses a message, which may be invalid in parts. It reports false for anything else, such as a log line in
// JSON.
func Parse(text []byte) (Message, bool) {
	text = bytes.TrimSpace(text)
	var m struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  mcp.MCPMethod   `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &m) != nil {
		return Message{}, false
	}
	if string(m.ID) == "null" {
		m.ID = nil
	}
	return Message{m.ID, m.Method, m.Params, m.Result, readError(m.Error)},
		m.Method != "" || len(m.Version)+len(m.Result)+len(m.Error) > 0
}

// Error is the error in a response. mcp.JSONRPCErrorDetails does not implement error.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// readError parses an error of any type. It returns nil for a response without an error.
func readError(raw json.RawMessage) *Error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var e Error
	if json.Unmarshal(raw, &e) == nil {
		return &e
	}
	e = Error{Code: mcp.INTERNAL_ERROR}
	if json.Unmarshal(raw, &e.Message) != nil {
		e.Message = string(raw)
	}
	return &e
}

// HasID reports whether a message has an id, which the server may have written as another type.
func (m Message) HasID(id json.RawMessage) bool { return id != nil && key(m.ID) == key(id) }

// key makes ids comparable. Some servers return 1 as "1" or 1.0.
func key(id json.RawMessage) string {
	return strings.TrimSuffix(strings.Trim(string(id), `"`), ".0")
}
