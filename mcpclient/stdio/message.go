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

// message is any message of a server.
type message struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// key makes ids comparable. Some servers return 1 as "1" or 1.0.
func key(id json.RawMessage) string {
	return strings.TrimSuffix(strings.Trim(string(id), `"`), ".0")
}

// handleLine handles one line of standard output, or the beginning of one that is too long.
func (l *Lines) handleLine(line []byte, size int) {
	if limit := l.maxLine; size > limit {
		l.reject(line, fmt.Sprintf("the response of %d MB is larger than %d MB: request less", size>>20, limit>>20))
		return
	}
	complete := bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // byte order mark on Windows
	if len(line) > 0 && !l.receive(line) {
		l.receiveGlued(line, complete)
	}
}

// receiveGlued handles a line with several messages, in a list or not, or with other output before or after a message.
func (l *Lines) receiveGlued(line []byte, complete bool) {
	for len(line) > 0 {
		begin := bytes.Index(line, []byte(`{"`))
		if begin < 0 {
			break
		}
		l.junk(line[:begin])
		line = line[begin:]
		values := json.NewDecoder(bytes.NewReader(line))
		var one json.RawMessage
		if values.Decode(&one) != nil {
			if complete { // otherwise the server has just exited
				l.reject(line, "the response is not valid JSON")
				return
			}
			break
		}
		if !l.receive(one) {
			l.junk(one)
		}
		line = line[values.InputOffset():]
	}
	l.junk(line)
}

// junk keeps output that is not a message.
func (l *Lines) junk(text []byte) {
	if len(bytes.Trim(text, "[,] \t\r\n")) > 0 {
		l.tail.add("stdout: ", text)
	}
}

var (
	// aResponse matches the beginning of a response, up to its result or error.
	aResponse = regexp.MustCompile(`^[^{]*\{[^{]*"(?:result|error)"\s*:`)
	// idInFront matches the id of a response if it comes before that.
	idInFront = regexp.MustCompile(`"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0)?)\s*,`)
)

// reject handles an invalid line. If it is a response, its request gets an error. If its id is unknown, that is the
// only open request, or none if there are several.
func (l *Lines) reject(line []byte, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	head := aResponse.Find(line[:min(len(line), headOfLong)])
	id := ""
	if found := idInFront.FindSubmatch(head); found != nil {
		id = key(found[1])
	} else if len(l.waiting) == 1 {
		for only := range l.waiting {
			id = only
		}
	}
	if head == nil || l.waiting[id] == nil {
		l.junk(line)
		return
	}
	l.respondLocked(id, reply{err: errors.New(why)})
}

// receive handles one message, and reports whether it is valid.
func (l *Lines) receive(line []byte) bool {
	var m message
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		return false
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && hasID && len(m.Version)+len(m.Result)+len(m.Error) > 0: // not a log line in JSON
		l.respond(key(m.ID), reply{response: &transport.JSONRPCResponse{Result: m.Result, Error: readError(m.Error)}})
	case m.Method != "" && hasID:
		if l.handleRequest != nil {
			l.handleRequest(transport.JSONRPCRequest{ID: mcp.NewRequestId(m.ID), Method: m.Method, Params: m.Params})
		}
	case m.Method != "":
		var n mcp.JSONRPCNotification
		if l.notify != nil && json.Unmarshal(line, &n) == nil {
			l.notify(n)
		}
	default:
		return false
	}
	return true
}

// readError parses an error of any type. It returns nil if there is none.
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

// respond passes a reply to the open request with the id, if any.
func (l *Lines) respond(id string, o reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.respondLocked(id, o)
}

// respondLocked is respond with l.mu held.
func (l *Lines) respondLocked(id string, o reply) {
	if waiting, ok := l.waiting[id]; ok {
		waiting <- o
		delete(l.waiting, id)
	}
}

// Reply queues the response to a request of the server.
func (l *Lines) Reply(response *transport.JSONRPCResponse) {
	_ = l.send(response)
}
