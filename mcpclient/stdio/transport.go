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

// Config says what to run.
type Config struct {
	Command string
	Args    []string
	Env     []string                    // the whole environment but for ALOUD_SERVER, by which its children are known: nothing is inherited
	Dir     string                      // "": ours
	MaxLine int                         // bytes of one message from the server; 0: 64 MiB
	Sent    func(line []byte)           // may be nil; hears each message that is queued for the server
	Heard   func(line []byte, size int) // may be nil; hears each line of its standard output: of one over MaxLine the beginning and the whole size
	Grace   time.Duration               // Close waits a third of it after closing stdin, and all of it after asking to terminate; 0: 1.5 s
}

const (
	defaultMaxLine = 64 << 20
	defaultGrace   = 1500 * time.Millisecond
)

// ErrGone is matched by the errors of calls to a server that has ended.
var ErrGone = errors.New("the server is gone")

// Transport is one server process. It implements transport.Interface; all methods are safe for concurrent use.
type Transport struct {
	config  Config
	input   *queue // towards the server's stdin
	tail    tail   // what it wrote that was not meant for us
	process *process

	gone  chan struct{} // closed when the process has ended and its last words are read
	cause error         // why; set before gone is closed

	startOnce, closeOnce sync.Once

	mu      sync.Mutex
	waiting map[string]chan *transport.JSONRPCResponse // by request id
	notify  func(mcp.JSONRPCNotification)

	serveAsked func(transport.JSONRPCRequest)
}

var _ transport.Interface = (*Transport)(nil)

// New makes a transport; Start launches the process.
func New(config Config) *Transport {
	if config.MaxLine == 0 {
		config.MaxLine = defaultMaxLine
	}
	if config.Grace == 0 {
		config.Grace = defaultGrace
	}
	return &Transport{
		config:  config,
		input:   newQueue(),
		gone:    make(chan struct{}),
		waiting: map[string]chan *transport.JSONRPCResponse{},
	}
}

// Start launches the process, the first time it is called. The process lives until Close, whatever becomes of ctx.
func (t *Transport) Start(context.Context) error {
	var err error
	t.startOnce.Do(func() {
		var pipes pipes
		if t.process, pipes, err = launch(t.config); err != nil {
			t.end(err)
			return
		}
		deaf := make(chan struct{}) // closed when the server closes its stdin
		go func() {
			if t.input.drain(pipes.stdin) != nil {
				close(deaf)
			}
		}()
		go t.serve(pipes, deaf)
	})
	return err
}

// serve reads until the server has ended, and buries it.
func (t *Transport) serve(pipes pipes, deaf <-chan struct{}) {
	var readers sync.WaitGroup
	silent := make(chan struct{}) // closed at the end of stdout
	readers.Go(func() {
		defer close(silent)
		readLines(pipes.stdout, t.config.MaxLine, t.hear, t.hearLong)
	})
	readers.Go(func() { t.tail.read(pipes.stderr) })

	var useless error
	select {
	case <-t.process.ended:
	case <-silent:
		useless = t.letEnd("standard output")
	case <-deaf:
		useless = t.letEnd("standard input")
	}
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(lastWords): // a child that left the group holds the pipes open
	}
	pipes.close()
	<-drained
	t.end(cmp.Or(useless, t.process.cause))
}

// hear handles one line of standard output.
func (t *Transport) hear(line []byte) {
	if t.config.Heard != nil {
		t.config.Heard(line, len(line))
	}
	t.receive(line)
}

// hearLong handles one over the limit.
func (t *Transport) hearLong(head, tail []byte, size int) {
	if t.config.Heard != nil {
		t.config.Heard(head, size)
	}
	t.refuse(head, tail, size)
}

// letEnd ends a server that closed its input or output, which is of no use any more. Most are about to exit, so they get a while to set their exit
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
	answer := make(chan *transport.JSONRPCResponse, 1)
	t.mu.Lock()
	t.waiting[key(id)] = answer
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.waiting, key(id))
		t.mu.Unlock()
	}()
	if err := t.send(request); err != nil {
		return nil, err
	}
	response, err := t.await(ctx, answer)
	if err != nil {
		return nil, err
	}
	response.ID = request.ID
	return response, nil
}

func (t *Transport) await(ctx context.Context, answer <-chan *transport.JSONRPCResponse) (*transport.JSONRPCResponse, error) {
	select {
	case response := <-answer:
		return response, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.gone:
		select {
		case response := <-answer: // its last words were for us
			return response, nil
		default:
			return nil, t.Err()
		}
	}
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
	if t.config.Sent != nil {
		t.config.Sent(line)
	}
	err = t.input.Write(append(line, '\n'))
	if errors.Is(err, io.ErrClosedPipe) {
		return t.Err()
	}
	return err
}

// SetNotificationHandler sets the handler of notifications. It is called on the reading goroutine and must not wait for the server.
func (t *Transport) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notify = handler
}

// SetRequestHandler sets the handler of the server's requests, which answers with Reply. It is called on the reading goroutine and must not wait for the server.
func (t *Transport) SetRequestHandler(handler func(transport.JSONRPCRequest)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serveAsked = handler
}

// GetSessionId returns "": a process is its own session.
func (t *Transport) GetSessionId() string { return "" } //nolint:staticcheck // the name is the interface's

// Gone is closed when the server has ended and everything it wrote has been read.
func (t *Transport) Gone() <-chan struct{} { return t.gone }

// Err says how the server ended, matching ErrGone. While it has not, it says that it is about to.
func (t *Transport) Err() error {
	select {
	case <-t.gone:
		return &goneError{t.cause}
	default:
		return &goneError{errors.New("is ending")}
	}
}

// Tail returns the last lines the server wrote to standard error, and what it wrote to standard output that was no message.
func (t *Transport) Tail() []string { return t.tail.lines() }

// Close ends the process with everything it started: its stdin is closed, then it is asked to terminate, then killed.
// It waits for the end, one and a half times the grace at most.
func (t *Transport) Close() error {
	t.closeOnce.Do(func() {
		t.startOnce.Do(func() { t.end(errors.New("was never started")) })
		t.input.Close()
		if t.process == nil {
			return
		}
		// Many servers ignore the end of their input, and you are waiting to leave: it is asked soon.
		for _, next := range []struct {
			after time.Duration
			step  func()
		}{{t.config.Grace / 3, t.process.terminateTree}, {t.config.Grace, t.process.killTree}} {
			select {
			case <-t.gone:
				return
			case <-time.After(next.after):
				next.step()
			}
		}
	})
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

type goneError struct{ cause error }

func (e *goneError) Error() string { return e.cause.Error() }
func (e *goneError) Unwrap() []error {
	return []error{ErrGone, e.cause}
}
