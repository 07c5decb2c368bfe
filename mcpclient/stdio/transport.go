// Package stdio runs an MCP server as a process and talks to it over standard input and output.
//
// It is a transport for mcp-go's client that owns its process, to the end and with its children: nothing is left when
// aloud is gone, a server that stops reading does not block callers, one that writes an endless line costs bounded memory,
// and its end is known at once, with the last words of its standard error.
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
	Env     []string      // the whole environment but for ALOUD_SERVER, by which its children are known: nothing is inherited
	Dir     string        // "": ours
	MaxLine int           // bytes of one message from the server; 0: 64 MiB
	Grace   time.Duration // Close waits a third of it after closing stdin, and all of it after asking to terminate; 0: 1.5 s
}

// ErrGone is matched by the errors of calls to a server that has ended.
var ErrGone = errors.New("the server is gone")

// Transport is one server process. It implements transport.Interface. All methods but the Set methods are safe for concurrent use.
type Transport struct {
	config  Config
	input   *queue // towards the server's stdin
	tail    tail   // what it wrote that was not meant for us
	process *process

	gone  chan struct{} // closed when the process has ended and its last words are read
	cause error         // why; set before gone is closed

	mu      sync.Mutex
	waiting map[string]chan<- answer // by request id

	// set before Start
	notify     func(mcp.JSONRPCNotification)
	serveAsked func(transport.JSONRPCRequest)
}

// answer is what a call gets: a response, or why it cannot be read.
type answer struct {
	response *transport.JSONRPCResponse
	err      error
}

var _ transport.Interface = (*Transport)(nil)

// New makes a transport; Start launches the process.
func New(config Config) *Transport {
	config.MaxLine = cmp.Or(config.MaxLine, 64<<20)
	config.Grace = cmp.Or(config.Grace, 1500*time.Millisecond)
	return &Transport{config: config, input: newQueue(), gone: make(chan struct{}), waiting: map[string]chan<- answer{}}
}

// Start launches the process, which lives until Close, whatever becomes of ctx. It may be called once.
func (t *Transport) Start(context.Context) (err error) {
	if t.process, err = launch(t.config); err != nil {
		t.end(err)
		return err
	}
	go t.serve(t.process)
	return nil
}

// serve reads until the server has ended.
func (t *Transport) serve(p *process) {
	closed := make(chan string, 2) // what the server closed
	go func() {
		if t.input.drain(p.stdin) != nil {
			closed <- "standard input"
		}
	}()
	var readers sync.WaitGroup
	readers.Go(func() {
		readLines(p.stdout, t.config.MaxLine, t.hear)
		closed <- "standard output"
	})
	readers.Go(func() {
		readLines(p.stderr, headOfLong, func(line []byte, _ int) { t.tail.add("", line) })
	})

	var useless error
	select {
	case <-p.ended:
	case what := <-closed:
		useless = t.letEnd(what)
	}
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(lastWords): // a child that left the group holds the pipes open
	}
	p.closePipes()
	<-drained
	t.end(cmp.Or(useless, p.cause))
}

// letEnd ends a server that closed its input or output, which is useless then. Most are about to exit, so they get a while to set their exit
// status. What they left behind may take longer. The error is for a server that was not about to exit.
func (t *Transport) letEnd(closed string) error {
	select {
	case <-t.process.exited:
		<-t.process.ended
		return nil
	case <-time.After(t.config.Grace):
		t.process.killTree()
		<-t.process.ended
		return fmt.Errorf("closed its %s", closed)
	}
}

// lastWords is how long the output of a server that has ended is still waited for.
const lastWords = 300 * time.Millisecond

// end wakes all callers: no answer will come.
func (t *Transport) end(cause error) {
	t.input.Close()
	t.cause = cause
	close(t.gone)
}

// SendRequest sends a request and waits for its answer, the server's end, or ctx's.
func (t *Transport) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	id, err := json.Marshal(request.ID)
	if err != nil {
		return nil, err
	}
	answered := make(chan answer, 1)
	t.mu.Lock()
	t.waiting[key(id)] = answered
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.waiting, key(id))
		t.mu.Unlock()
	}()
	if err := t.send(request); err != nil {
		return nil, err
	}
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.gone:
		select {
		case a = <-answered: // its last words were for us
		default:
			return nil, t.Err()
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	a.response.ID = request.ID
	return a.response, nil
}

// SendNotification queues a notification. It never waits for the server.
func (t *Transport) SendNotification(_ context.Context, notification mcp.JSONRPCNotification) error {
	return t.send(notification)
}

func (t *Transport) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("the message cannot be written as JSON: %w", err)
	}
	err = t.input.Write(append(line, '\n'))
	if errors.Is(err, io.ErrClosedPipe) {
		return t.Err()
	}
	return err
}

// SetNotificationHandler sets the handler of notifications, before Start. It is called on the reading goroutine and must not wait for the server.
func (t *Transport) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) { t.notify = handler }

// SetRequestHandler sets the handler of the server's requests, before Start. It answers with Reply. It is called on the reading goroutine and must
// not wait for the server.
func (t *Transport) SetRequestHandler(handler func(transport.JSONRPCRequest)) { t.serveAsked = handler }

// GetSessionId returns "": a process is its own session.
func (t *Transport) GetSessionId() string { return "" } //nolint:staticcheck // the name is the interface's

// Gone is closed when the server has ended and everything it wrote has been read.
func (t *Transport) Gone() <-chan struct{} { return t.gone }

// Err says how the server ended, matching ErrGone. While it has not, it says that it is about to.
func (t *Transport) Err() error {
	select {
	case <-t.gone:
		return &because{t.cause.Error(), []error{ErrGone, t.cause}}
	default:
		return &because{"is ending", []error{ErrGone}}
	}
}

// Tail returns the last lines the server wrote to standard error, and what it wrote to standard output that was no message.
func (t *Transport) Tail() []string { return t.tail.lines() }

// Close ends the process with everything it started: its stdin is closed, then it is asked to terminate, then killed.
// It waits for the end.
func (t *Transport) Close() error {
	if t.process == nil {
		return nil
	}
	t.input.Close()
	// Many servers ignore the end of their input, and you are waiting to leave: it is asked soon.
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

// Terminate asks the process and what it started to end, without waiting for it. Close is for a server that may have something to finish.
// It is called after Start has returned.
func (t *Transport) Terminate() {
	if t.process != nil {
		t.process.terminateTree()
	}
}

// because is an error in words of its own.
type because struct {
	text   string
	causes []error
}

func (e *because) Error() string   { return e.text }
func (e *because) Unwrap() []error { return e.causes }
