package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// ErrGone is matched by the errors of calls to a server that has ended.
var ErrGone = errors.New("the server has exited")

// Lines exchanges messages with a server, one on each line. It implements most of transport.Interface. All methods but
// the Set methods are safe for concurrent use.
type Lines struct {
	maxLine int
	input   *queue // to the server
	tail    tail   // output that was not a message

	gone  chan struct{} // closed when the server has ended and its output was read
	cause error         // why; set before gone is closed

	mu      sync.Mutex
	waiting map[string]chan<- reply // of open requests, by id

	// set before Start
	notify        func(mcp.JSONRPCNotification)
	handleRequest func(transport.JSONRPCRequest)
}

// reply is the response to a request, or why it is invalid.
type reply struct {
	response *transport.JSONRPCResponse
	err      error
}

func newLines(maxLine int) *Lines {
	return &Lines{maxLine: maxLine, input: newQueue(), gone: make(chan struct{}), waiting: map[string]chan<- reply{}}
}

// read handles the output of the server until its end.
func (l *Lines) read(output io.Reader) { readLines(output, l.maxLine, l.handleLine) }

// end wakes all callers.
func (l *Lines) end(cause error) {
	l.input.Close()
	l.cause = cause
	close(l.gone)
}

// SendRequest sends a request and waits for the response, the end of the server, or the end of ctx.
func (l *Lines) SendRequest(
	ctx context.Context, request transport.JSONRPCRequest,
) (*transport.JSONRPCResponse, error) {
	id, err := json.Marshal(request.ID)
	if err != nil {
		return nil, err
	}
	done := make(chan reply, 1)
	l.mu.Lock()
	l.waiting[key(id)] = done
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, key(id))
		l.mu.Unlock()
	}()
	if err := l.send(request); err != nil {
		return nil, err
	}
	var o reply
	select {
	case o = <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.gone:
		select {
		case o = <-done:
		default:
			return nil, l.Err()
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	o.response.JSONRPC, o.response.ID = mcp.JSONRPC_VERSION, request.ID
	return o.response, nil
}

// SendNotification queues a notification.
func (l *Lines) SendNotification(_ context.Context, notification mcp.JSONRPCNotification) error {
	return l.send(notification)
}

func (l *Lines) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("cannot encode the message as JSON: %w", err)
	}
	err = l.input.Write(append(line, '\n'))
	if errors.Is(err, io.ErrClosedPipe) {
		return l.Err()
	}
	return err
}

// SetNotificationHandler sets the handler for notifications. It must be called before Start. The handler is called on
// the reading goroutine and must not block.
func (l *Lines) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) { l.notify = handler }

// SetRequestHandler sets the handler for requests of the server, which responds with Reply. It must be called before
// Start. The handler is called on the reading goroutine and must not block.
func (l *Lines) SetRequestHandler(handler func(transport.JSONRPCRequest)) {
	l.handleRequest = handler
}

// GetSessionId returns "".
func (l *Lines) GetSessionId() string { return "" } //nolint:staticcheck // the name is the interface's

// Gone returns a channel that is closed when the server has ended and its output was read.
func (l *Lines) Gone() <-chan struct{} { return l.gone }

// Err returns how the server ended, or that it is ending. It matches ErrGone.
func (l *Lines) Err() error {
	select {
	case <-l.gone:
		return &because{l.cause.Error(), []error{ErrGone, l.cause}}
	default:
		return &because{"is ending", []error{ErrGone}}
	}
}

// Tail returns the last lines of standard error, and of standard output that were not messages.
func (l *Lines) Tail() []string { return l.tail.lines() }

// because is an error with its own text.
type because struct {
	text   string
	causes []error
}

func (e *because) Error() string   { return e.text }
func (e *because) Unwrap() []error { return e.causes }

const headOfLong = 1 << 10 // bytes kept of a line over the limit

// readLines calls line for every line of r, with its full size. Of a line over max bytes head is only the beginning.
// head is valid only during the call.
func readLines(r io.Reader, max int, line func(head []byte, size int)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var head []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= max {
			head = append(head, part...)
		} else if len(head) != headOfLong {
			head = bytes.Clone(append(head, part...)[:min(size, headOfLong)])
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > 0 {
			line(head, size)
		}
		if err != nil {
			return
		}
		size = 0
		if head = head[:0]; cap(head) > 1<<20 {
			head = nil // free the memory of a large message
		}
	}
}
