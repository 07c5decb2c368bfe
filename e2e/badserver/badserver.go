// Package badserver is an MCP server that misbehaves in one chosen way, over standard input and output or HTTP.
//
// The table [Modes] has the ways. Apart from them the server has one tool, "use", which returns "fine". It implements
// the protocol itself, because libraries prevent most of these faults.
//
//	go run ./e2e/badserver/run                        lists the modes
//	go run ./e2e/badserver/run glued                  misbehaves on standard input and output
//	go run ./e2e/badserver/run -http 127.0.0.1:8080 error-500
package badserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Mode is one way to misbehave.
type Mode struct {
	Name  string
	Does  string // describes the fault in one line
	Over  string // Stdio or HTTP; "" means both
	Hangs string // where a client waits forever: AtStart, AfterWords or AtCall
	Heavy bool   // it takes seconds, or hundreds of megabytes

	start  func(*process)                   // runs before the process reads its first message
	at     map[string]step                  // replaces the response to a request
	result map[string]func(question) string // replaces the usual results
	// runs before the response to a call; its function sends a message and reports false if the client is gone
	before func(question, func(string) bool)
	frame  func(question, string) []string // wraps its responses, over both transports
	raw    func(p *process, line string)   // replaces how a process writes a line
	// handles a request over HTTP, by message method, "GET" or "DELETE"; "" means all others
	serve map[string]func(visit) (over bool)
}

// The transports of a mode.
const (
	Stdio = "stdio"
	HTTP  = "http"
)

// Where a mode makes a client wait forever.
const (
	AtStart    = "start"
	AfterWords = "words" // at the start, after some output
	AtCall     = "call"
)

// SecretVariable is the environment variable, and SecretHeader the header, of the secret that a mode repeats.
const (
	SecretVariable = "BADSERVER_SECRET"
	SecretHeader   = "X-Badserver-Secret"
)

// Find returns the mode with a name.
func Find(name string) (Mode, error) {
	modes := Modes()
	i := slices.IndexFunc(modes, func(m Mode) bool { return m.Name == name })
	if i < 0 {
		return Mode{}, fmt.Errorf("there is no mode %q", name)
	}
	return modes[i], nil
}

// A question is a message from a client.
type question struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Cursor          string `json:"cursor"`
		Meta            struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`

	secret string // the secret that a mode repeats
}

// isRequest reports whether a response is expected.
func (q question) isRequest() bool { return q.Method != "" && len(q.ID) > 0 }

const (
	hello     = "initialize"
	listTools = "tools/list"
	callTool  = "tools/call"
)

// answers returns the messages that a mode sends in response to a request.
func (m Mode) answers(q question) []string {
	reply := m.answer(q)
	if m.frame != nil {
		return m.frame(q, reply)
	}
	return []string{reply}
}

func (m Mode) answer(q question) string {
	make, ok := m.result[q.Method]
	if !ok {
		make, ok = m.result[""]
	}
	if !ok {
		return usual(q)
	}
	return replyOf(q, make(q))
}

// usual returns the correct response.
func usual(q question) string {
	switch q.Method {
	case hello:
		return replyOf(q, helloOf(q.Params.ProtocolVersion))
	case listTools:
		return replyOf(q, `{"tools":[`+tool("use")+`]}`)
	case callTool:
		return replyOf(q, text("fine"))
	case "ping":
		return replyOf(q, `{}`)
	default:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, q.ID)
	}
}

func replyOf(q question, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
}

func helloOf(version string) string {
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},`+
		`"serverInfo":{"name":"bad","version":"1"}}`, version)
}

func tool(name string) string {
	return fmt.Sprintf(`{"name":%s,"inputSchema":{"type":"object"}}`, quoted(name))
}

func text(s string) string { return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted(s)) }

// quoted returns a JSON string.
func quoted(s string) string {
	b, _ := json.Marshal(s) // a string can always be encoded
	return string(b)
}

// always returns the same result for every request.
func always(result string) func(question) string { return func(question) string { return result } }

// withID returns a response to q with another id.
func withID(id string) func(question, string) []string {
	return func(q question, _ string) []string {
		q.ID = json.RawMessage(id)
		return []string{usual(q)}
	}
}

func number(id json.RawMessage) int {
	n, _ := strconv.Atoi(string(id)) // an invalid number counts as 0
	return n
}
