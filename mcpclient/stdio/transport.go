// Package stdio runs an MCP server as a process and talks to it over standard input and output.
//
// It is a transport for mcp-go that owns the process and its descendants. No process is left when aloud ends, a
// server that stops reading does not block callers, an endless line uses limited memory, and the end of the server is
// known at once, with the last lines of its standard error.
package stdio

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
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

// Transport is one server process. Start must be called once. All methods but the Set methods are safe for concurrent
// use.
type Transport struct {
	*Lines
	config  Config
	process *process
}

// New returns a transport. Start launches the process.
func New(config Config) *Transport {
	config.MaxLine = cmp.Or(config.MaxLine, maxLine)
	config.Grace = cmp.Or(config.Grace, grace)
	return &Transport{Lines: newLines(config.MaxLine), config: config}
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
