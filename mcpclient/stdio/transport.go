// Package stdio runs an MCP server as a process and talks to it over standard input and output.
//
// A [Transport] owns the process and its descendants. No process is left when aloud ends, a server that stops reading
// does not block callers, an endless line uses limited memory, and the end of the server is known at once, with the
// last lines of its standard error. A [Local] is a server in this process. Both are a [jsonrpc.Wire], which matches
// responses to requests and also serves other connections.
package stdio

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
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

const (
	maxLine = 64 << 20
	grace   = 1500 * time.Millisecond
)

// Transport is one server process. All methods are safe for concurrent use.
type Transport struct {
	lines
	grace   time.Duration
	process *process
}

// Start starts a process, which runs until Close. handle is explained at jsonrpc.NewWire.
func Start(config Config, handle func(jsonrpc.Message)) (*Transport, error) {
	config.MaxLine = cmp.Or(config.MaxLine, maxLine)
	config.Grace = cmp.Or(config.Grace, grace)
	p, err := launch(config)
	if err != nil {
		return nil, err
	}
	t := &Transport{newLines(config.MaxLine, handle), config.Grace, p}
	go t.serve()
	return t, nil
}

// serve reads the output until the server has ended.
func (t *Transport) serve() {
	p := t.process
	closed := make(chan string, 2) // the pipes that the server closed
	go func() {
		if t.input.drain(p.stdin) != nil {
			closed <- "standard input"
		}
	}()
	var readers sync.WaitGroup
	readers.Go(func() {
		t.read(p.stdout)
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

// letEnd ends a server that closed a pipe. It waits a while for an exit status, and returns an error if there is
// none.
func (t *Transport) letEnd(pipe string) error {
	select {
	case <-t.process.exited:
		<-t.process.ended
		return nil
	case <-time.After(t.grace):
		t.process.killTree()
		<-t.process.ended
		return fmt.Errorf("closed its %s", pipe)
	}
}

const drainTimeout = 300 * time.Millisecond // for the rest of the output

// Close ends the process and its descendants, and waits for that. It closes standard input, asks the process to exit
// after a third of Grace, and kills it after Grace more.
func (t *Transport) Close() {
	t.input.Close()
	for _, next := range []struct {
		after time.Duration
		step  func()
	}{{t.grace / 3, t.process.terminateTree}, {t.grace, t.process.killTree}} {
		select {
		case <-t.Gone():
			return
		case <-time.After(next.after):
			next.step()
		}
	}
	<-t.Gone()
}

// Terminate asks the process and its descendants to exit, without waiting.
func (t *Transport) Terminate() { t.process.terminateTree() }
