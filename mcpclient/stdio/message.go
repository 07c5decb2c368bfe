package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// message is any line a server may send.
type message struct {
	ID     json.RawMessage          `json:"id"`
	Method string                   `json:"method"`
	Params json.RawMessage          `json:"params"`
	Result json.RawMessage          `json:"result"`
	Error  *mcp.JSONRPCErrorDetails `json:"error"`
}

// key makes ids comparable. Some servers answer to 1 with "1".
func key(id json.RawMessage) string { return string(bytes.Trim(id, `"`)) }

// receive handles one line of the server's standard output.
func (t *Transport) receive(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if line[0] == '[' { // a batch, which revision 2025-03-26 allowed
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) == nil {
			for _, one := range batch {
				t.receiveOne(one)
			}
			return
		}
	}
	// Something printed without a newline is glued to the message after it.
	if i := bytes.Index(line, []byte(`{"jsonrpc"`)); i > 0 && line[0] != '{' {
		t.tail.add("stdout: " + clip(line[:i]))
		line = line[i:]
	}
	t.receiveOne(line)
}

func (t *Transport) receiveOne(line []byte) {
	var m message
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		t.tail.add("stdout: " + clip(line))
		return
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && hasID:
		t.answer(key(m.ID), &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: m.Result, Error: m.Error})
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
		t.tail.add("stdout: " + clip(line))
	}
}

// answer hands a response to the call that waits for it. One that nobody waits for any more is dropped.
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

// serveRequest passes on what a server asks of its client. Nobody there: it is told that nothing was offered to it.
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

// Reply queues the answer to a request of the server. It never waits: a server that does not read its answer has nobody else to blame.
func (t *Transport) Reply(response *transport.JSONRPCResponse) {
	_ = t.send(response)
}

var requestID = regexp.MustCompile(`"id"\s*:\s*"?(\d+)`)

// refuse stands in for a line over the limit: the call it answers gets an error. head and tail are what was kept of it.
func (t *Transport) refuse(head, tail []byte, size int) {
	text := fmt.Sprintf("the answer of %d MB is over the limit of %d MB: ask for less", size>>20, t.config.MaxLine>>20)
	response := &transport.JSONRPCResponse{Error: &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: text}}
	// The id stands before the result or after it. One inside the result may be found too, so all are tried.
	for _, part := range [][]byte{head, tail} {
		for _, found := range requestID.FindAllSubmatch(part, -1) {
			if t.answer(string(found[1]), response) {
				return
			}
		}
	}
	t.tail.add(fmt.Sprintf("stdout: a line of %d MB: %s", size>>20, clip(head)))
}
