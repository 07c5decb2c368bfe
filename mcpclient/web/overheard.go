package web

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// overheard is the stream of the old SSE transport, read along for what the server asks: mcp-go drops that. The body that it reads bounds it, an
// event at a time.
type overheard struct {
	io.ReadCloser
	asked func(transport.JSONRPCRequest)

	event  []byte // so far
	events events
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	for part := range bytes.Lines(p[:n]) {
		o.event = append(o.event, part...)
		if !o.events.end(part) {
			continue
		}
		if bytes.Contains(o.event, []byte(`"method"`)) { // an answer may be big
			o.hear()
		}
		if o.event = o.event[:0]; cap(o.event) > 1<<20 {
			o.event = nil // and must not stay in memory
		}
	}
	return n, err
}

// hear passes an event on that is a request.
func (o *overheard) hear() {
	var data []byte
	for line := range bytes.Lines(o.event) {
		if said, found := bytes.CutPrefix(line, []byte("data:")); found {
			data = append(data, said...)
		}
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &m) == nil && m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" {
		o.asked(transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Method: m.Method, Params: m.Params})
	}
}
