// Package stdio runs an MCP server as a process and talks to it over standard input and output.
//
// It is a transport for mcp-go that owns the process and its descendants. No process is left when aloud ends, a
// server that stops reading does not block callers, an endless line uses limited memory, and the end of the server is
// known at once, with the last lines of its standard error.
package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Config describes the process.
type Config struct {
	Command string
	Args    []string
	Env     []string      // the environment, to which ALOUD_SERVER is added to recognize descendants
	Dir     string        // "" means the current directory
	MaxLine int           // bytes of one message from the server; 0 means 64 MiB
	Grace   time.Duration // before Close kills the process; 0 means 1.5 s
}

// ErrGone is matched by the errors of calls to a server that has ended.
var ErrGone = errors.New("the server has exited")

// Transport is one server process. It implements transport.Interface. All methods but the Set methods are safe for
// concurrent use.
type Transport struct {
	config  Config
	input   *queue // to standard input
	tail    tail   // output that was not a message
	process *process

	gone  chan struct{} // closed when the process has ended and its output was read
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

var _ transport.Interface = (*Transport)(nil)

// New returns a transport. Start launches the process.
func New(config Config) *Transport {
	config.MaxLine = cmp.Or(config.MaxLine, 64<<20)
	config.Grace = cmp.Or(config.Grace, 1500*time.Millisecond)
	return &Transport{config: config, input: newQueue(), gone: make(chan struct{}), waiting: map[string]chan<- reply{}}
}

// Start launches the process, which runs until Close. It must be called once.
func (t *Transport) Start(context.Context) (err error) {
	if t.process, err = launch(t.config); err != nil {
		t.end(err)
		return err
	}
	go t.serve(t.process)
	return nil
}

// serve reads the output until the server has ended.
func (t *Transport) serve(p *process) {
	closed := make(chan string, 2) // the pipes that the server closed
	go func() {
		if t.input.drain(p.stdin) != nil {
			closed <- "standard input"
		}
	}()
	var readers sync.WaitGroup
	readers.Go(func() {
		readLines(p.stdout, t.config.MaxLine, t.handleLine)
		closed <- "standard output"
	})
	readers.Go(func() {
		readLines(p.stderr, headOfLong, func(line []byte, _ int) { t.tail.add("", line) })
	})

	var early error
	select {
	case <-p.ended:
	case pipe := <-closed:
		early = t.letEnd(pipe)
	}
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(drainTimeout): // a descendant holds the pipes open
	}
	p.closePipes()
	<-drained
	t.end(cmp.Or(early, p.cause))
}

// letEnd ends a server that closed a pipe. It waits a while for an exit status, and returns an error if there is none.
func (t *Transport) letEnd(pipe string) error {
	select {
	case <-t.process.exited:
		<-t.process.ended
		return nil
	case <-time.After(t.config.Grace):
		t.process.killTree()
		<-t.process.ended
		return fmt.Errorf("closed its %s", pipe)
	}
}

const drainTimeout = 300 * time.Millisecond // for the rest of the output

// end wakes all callers.
func (t *Transport) end(cause error) {
	t.input.Close()
	t.cause = cause
	close(t.gone)
}

// SendRequest sends a request and waits for the response, the end of the server, or the end of ctx.
func (t *Transport) SendRequest(
	ctx context.Context, request transport.JSONRPCRequest,
) (*transport.JSONRPCResponse, error) {
	id, err := json.Marshal(request.ID)
	if err != nil {
		return nil, err
	}
	done := make(chan reply, 1)
	t.mu.Lock()
	t.waiting[key(id)] = done
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.waiting, key(id))
		t.mu.Unlock()
	}()
	if err := t.send(request); err != nil {
		return nil, err
	}
	var o reply
	select {
	case o = <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.gone:
		select {
		case o = <-done:
		default:
			return nil, t.Err()
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	o.response.JSONRPC, o.response.ID = mcp.JSONRPC_VERSION, request.ID
	return o.response, nil
}

// SendNotification queues a notification.
func (t *Transport) SendNotification(_ context.Context, notification mcp.JSONRPCNotification) error {
	return t.send(notification)
}

func (t *Transport) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("cannot encode the message as JSON: %w", err)
	}
	err = t.input.Write(append(line, '\n'))
	if errors.Is(err, io.ErrClosedPipe) {
		return t.Err()
	}
	return err
}

// SetNotificationHandler sets the handler for notifications. It must be called before Start. The handler is called on
// the reading goroutine and must not block.
func (t *Transport) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) { t.notify = handler }

// SetRequestHandler sets the handler for requests of the server, which responds with Reply. It must be called before
// Start. The handler is called on the reading goroutine and must not block.
func (t *Transport) SetRequestHandler(handler func(transport.JSONRPCRequest)) {
	t.handleRequest = handler
}

// GetSessionId returns "".
func (t *Transport) GetSessionId() string { return "" } //nolint:staticcheck // the name is the interface's

// Gone returns a channel that is closed when the server has ended and its output was read.
func (t *Transport) Gone() <-chan struct{} { return t.gone }

// Err returns how the server ended, or that it is ending. It matches ErrGone.
func (t *Transport) Err() error {
	select {
	case <-t.gone:
		return &because{t.cause.Error(), []error{ErrGone, t.cause}}
	default:
		return &because{"is ending", []error{ErrGone}}
	}
}

// Tail returns the last lines of standard error, and of standard output that were not messages.
func (t *Transport) Tail() []string { return t.tail.lines() }

// Close ends the process and its descendants, and waits for that. It closes standard input, asks the process to exit
// after a third of Grace, and kills it after Grace more.
func (t *Transport) Close() error {
	if t.process == nil {
		return nil
	}
	t.input.Close()
	for _, next := range []struct {
		after time.Duration
		step  func()
	}{{t.config.Grace / 3, t.process.terminateTree}, {t.config.Grace, t.process.killTree}} {
		select {
		case <-t.gone:
			return nil
		case <-time.After(next.after):
			next.step()
		}
	}
	<-t.gone
	return nil
}

// Terminate asks the process and its descendants to exit, without waiting. It must be called after Start.
func (t *Transport) Terminate() {
	if t.process != nil {
		t.process.terminateTree()
	}
}

// because is an error with its own text.
type because struct {
	text   string
	causes []error
}

func (e *because) Error() string   { return e.text }
func (e *because) Unwrap() []error { return e.causes }
