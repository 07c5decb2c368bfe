package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// message is any line a server may send.
type message struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// key makes ids comparable. Some servers answer to 1 with "1" or 1.0.
func key(id json.RawMessage) string {
	text := strings.Trim(string(id), `"`)
	if whole, zeros, found := strings.Cut(text, "."); found && strings.Trim(zeros, "0") == "" {
		return whole
	}
	return text
}

// receive handles one line of the server's standard output.
func (t *Transport) receive(line []byte) {
	complete := bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // Windows begins with a byte order mark
	if len(line) == 0 {
		return
	}
	if t.receiveOne(line) {
		return
	}
	if line[0] == '[' { // a batch, which revision 2025-03-26 allowed
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) == nil {
			for _, one := range batch {
				if !t.receiveOne(one) {
					t.junk(one)
				}
			}
			return
		}
	}
	t.receiveGlued(line, complete)
}

// receiveGlued handles a line in which messages stand next to each other, or to something that was printed without a newline. What breaks off in
// a line that is not complete was written by a server that has just died, which says more than that it cannot be read.
func (t *Transport) receiveGlued(line []byte, complete bool) {
	for len(line) > 0 {
		begin := bytes.Index(line, []byte(`{"`))
		if begin < 0 {
			break
		}
		values := json.NewDecoder(bytes.NewReader(line[begin:]))
		var one json.RawMessage
		if err := values.Decode(&one); err != nil {
			if complete && t.answerInstead(line[begin:], line[begin:], "the answer is not JSON that can be read") {
				line = line[:begin]
			}
			break
		}
		if begin > 0 {
			t.junk(line[:begin])
		}
		if !t.receiveOne(one) {
			t.junk(one)
		}
		line = bytes.TrimSpace(line[begin+int(values.InputOffset()):])
	}
	if len(line) > 0 {
		t.junk(line)
	}
}

// junk keeps for people what was no message.
func (t *Transport) junk(line []byte) { t.tail.add("stdout: " + clip(line)) }

// receiveOne handles one message, and reports whether it is one.
func (t *Transport) receiveOne(line []byte) bool {
	var m message
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		return false
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && hasID && (len(m.Version) > 0 || len(m.Result) > 0 || len(m.Error) > 0): // servers log as JSON, too
		t.answer(key(m.ID), &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: m.Result, Error: readError(m.Error)})
	case m.Method != "" && hasID:
		t.serveRequest(m)
	case m.Method != "":
		t.mu.Lock()
		notify := t.notify
		t.mu.Unlock()
		var n mcp.JSONRPCNotification
		if notify != nil && json.Unmarshal(line, &n) == nil {
			notify(n)
		}
	default:
		return false
	}
	return true
}

// readError reads an error of whatever shape. It is nil where there is none.
func readError(raw json.RawMessage) *mcp.JSONRPCErrorDetails {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var details mcp.JSONRPCErrorDetails
	if json.Unmarshal(raw, &details) == nil {
		return &details
	}
	var odd struct{ Code, Message any }
	details = mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: clip(raw)}
	if json.Unmarshal(raw, &odd) == nil && odd.Message != nil {
		details.Message = fmt.Sprint(odd.Message)
		if code, ok := odd.Code.(string); ok {
			details.Message = code + ": " + details.Message
		}
	}
	return &details
}

// answer hands a response to the call that waits for it. One that is not waited for any more is dropped.
func (t *Transport) answer(id string, response *transport.JSONRPCResponse) bool {
	t.mu.Lock()
	waiting, ok := t.waiting[id]
	delete(t.waiting, id)
	t.mu.Unlock()
	if ok {
		waiting <- response
	}
	return ok
}

// serveRequest passes on what a server asks of its client. Without a handler it is told that nothing was offered to it.
func (t *Transport) serveRequest(m message) {
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Method: m.Method, Params: m.Params}
	t.mu.Lock()
	serve := t.serveAsked
	t.mu.Unlock()
	if serve == nil {
		t.Reply(transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND, "method not found: "+m.Method, nil))
		return
	}
	serve(request)
}

// Reply queues the answer to a request of the server. It never waits: a server need not read its answer.
func (t *Transport) Reply(response *transport.JSONRPCResponse) {
	_ = t.send(response)
}
