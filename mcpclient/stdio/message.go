package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// message is anything a server may send.
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
	return strings.TrimSuffix(strings.Trim(string(id), `"`), ".0")
}

// hear handles one line of the server's standard output, or the beginning of one that is longer than the limit.
func (t *Transport) hear(line []byte, size int) {
	if size > t.config.MaxLine {
		t.refuse(line, fmt.Sprintf("the answer of %d MB is over the limit of %d MB: ask for less", size>>20, t.config.MaxLine>>20))
		return
	}
	complete := bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // Windows begins with a byte order mark
	if len(line) > 0 && !t.receive(line) {
		t.receiveGlued(line, complete)
	}
}

// receiveGlued handles a line in which messages stand in a list, next to each other, or next to something that was printed without a newline.
func (t *Transport) receiveGlued(line []byte, complete bool) {
	for len(line) > 0 {
		begin := bytes.Index(line, []byte(`{"`))
		if begin < 0 {
			break
		}
		t.junk(line[:begin])
		line = line[begin:]
		values := json.NewDecoder(bytes.NewReader(line))
		var one json.RawMessage
		if values.Decode(&one) != nil {
			if complete { // otherwise the server has just died, which says more
				t.refuse(line, "the answer is not JSON that can be read")
				return
			}
			break
		}
		if !t.receive(one) {
			t.junk(one)
		}
		line = line[values.InputOffset():]
	}
	t.junk(line)
}

// junk keeps for people what is not a message.
func (t *Transport) junk(text []byte) {
	if len(bytes.Trim(text, "[,] \t\r\n")) > 0 {
		t.tail.add("stdout: ", text)
	}
}

var (
	// anAnswer matches the beginning of an answer, in front of the first object in it.
	anAnswer = regexp.MustCompile(`^[^{]*\{[^{]*"(?:result|error)"\s*:`)
	// idInFront matches its id there, where most servers write it.
	idInFront = regexp.MustCompile(`"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0)?)\s*,`)
)

// refuse handles a line that cannot be read. If it is an answer, its call gets an error. Without an id in front that is the only call that waits.
// With several calls waiting none gets it then: an error for the wrong call is worse than waiting.
func (t *Transport) refuse(line []byte, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := anAnswer.Find(line[:min(len(line), headOfLong)])
	id := ""
	if found := idInFront.FindSubmatch(head); found != nil {
		id = key(found[1])
	} else if len(t.waiting) == 1 {
		for only := range t.waiting {
			id = only
		}
	}
	waiting, ok := t.waiting[id]
	if head == nil || !ok {
		t.junk(line)
		return
	}
	waiting <- answer{err: errors.New(why)}
	delete(t.waiting, id)
}

// receive handles one message, and reports whether it is one.
func (t *Transport) receive(line []byte) bool {
	var m message
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		return false
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && hasID && (len(m.Version) > 0 || len(m.Result) > 0 || len(m.Error) > 0): // servers log as JSON, too
		t.answer(key(m.ID), &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: m.Result, Error: readError(m.Error)})
	case m.Method != "" && hasID:
		if t.serveAsked != nil {
			t.serveAsked(transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Method: m.Method, Params: m.Params})
		}
	case m.Method != "":
		var n mcp.JSONRPCNotification
		if t.notify != nil && json.Unmarshal(line, &n) == nil {
			t.notify(n)
		}
	default:
		return false
	}
	return true
}

// readError reads an error of whatever shape. It returns nil if there is none.
func readError(raw json.RawMessage) *mcp.JSONRPCErrorDetails {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var details mcp.JSONRPCErrorDetails
	if json.Unmarshal(raw, &details) == nil {
		return &details
	}
	return &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: string(raw)}
}

// answer hands a response to the call that waits for it, if any.
func (t *Transport) answer(id string, response *transport.JSONRPCResponse) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if waiting, ok := t.waiting[id]; ok {
		waiting <- answer{response: response}
		delete(t.waiting, id)
	}
}

// Reply queues the answer to a request of the server. It does not wait for the server to read it.
func (t *Transport) Reply(response *transport.JSONRPCResponse) {
	_ = t.send(response)
}
