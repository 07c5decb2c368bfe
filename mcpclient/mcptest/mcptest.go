// Package mcptest has an MCP server for tests, which decide what it answers. Libraries prevent the faults that tests
// need.
package mcptest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// A Message is a request of a client, a notification without an ID, or a response without a Method.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Protocol  string          `json:"protocolVersion"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result, Error json.RawMessage
}

// Read reads a message. What is not valid is left out.
func Read(r io.Reader) (m Message) {
	_ = json.NewDecoder(r).Decode(&m)
	return m
}

// Respond returns the response to a request with a result.
func (m Message) Respond(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// Fail returns the response to a request with an error.
func (m Message) Fail(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, message)
}

// Text returns the response to a call with a text.
func (m Message) Text(text string) string {
	quoted, _ := json.Marshal(text) // never fails
	return m.Respond(fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

// Usual returns the response of a server with the tool "use", and "" if there is none. The server is named "usual", and
// has no server/discover.
func (m Message) Usual() string {
	switch m.Method {
	case "initialize":
		return m.Respond(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},`+
			`"serverInfo":{"name":"usual","version":"1"}}`, cmp.Or(m.Params.Protocol, "2025-11-25")))
	case "server/discover":
		return m.Fail(-32601, "method not found")
	case "tools/list":
		return m.Tools(`{"name":"use"}`)
	case "tools/call":
		return m.Text("fine")
	case "ping":
		return m.Respond("{}")
	}
	return ""
}

// Tools returns the response to tools/list with tools, in JSON, separated by commas.
func (m Message) Tools(tools string) string { return m.Respond(`{"tools":[` + tools + `]}`) }

// ToolsChanged is the notification that there are other tools.
const ToolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// A Server gets each message and returns its response, or "" for none. It may send other messages first.
type Server func(m Message, send func(message string)) (response string)

// Serve implements mcpclient.Local.
func (s Server) Serve(_ context.Context, in io.Reader, out io.Writer) error {
	send := func(message string) { _, _ = fmt.Fprintln(out, message) } // fails if the client has gone
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m Message
		_ = json.Unmarshal(lines.Bytes(), &m)
		if response := s(m, send); response != "" {
			send(response)
		}
	}
	return lines.Err()
}
