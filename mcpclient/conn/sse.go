package conn

import (
	"bytes"
	"io"

	"github.com/mark3labs/mcp-go/client/transport"
)

// overheard is the stream of the old SSE transport, read along for what the server asks: mcp-go drops that. The body that it reads bounds it, an
// event at a time.
type overheard struct {
	io.ReadCloser
	asked func(transport.JSONRPCRequest)

	event []byte // so far
	ends  eventEnds
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	for part := range bytes.Lines(p[:n]) {
		o.event = append(o.event, part...)
		if !o.ends.end(part) {
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
	if r, ok := asRequest(data); ok {
		o.asked(r)
	}
}
