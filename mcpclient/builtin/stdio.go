package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Serve answers one client on in and out until in ends and everything that was asked is answered, or until ctx ends.
// Only one Serve can run in a process at a time.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &exchange{in: bufio.NewReader(in), out: out, serving: serving.Done(), unanswered: map[string]int{}, done: make(chan struct{})}
	err := server.NewStdioServer(s).Listen(serving, x, x)
	if ctx.Err() != nil {
		return nil // asked to end
	}
	return err
}

// exchange delays the end of its input until all requests are answered: mcp-go drops those that it has not answered by then.
type exchange struct {
	in      *bufio.Reader
	line    []byte // what was read and not yet taken
	out     io.Writer
	serving <-chan struct{} // closed when no more answers will come

	mu         sync.Mutex
	unanswered map[string]int // requests by id
	ended      bool           // there is no more input
	done       chan struct{}  // closed when there is no more input and everything is answered
}

// message is what of a message shows whether it is a request or an answer.
type message struct {
	ID     any
	Method string
}

// Read implements io.Reader.
func (x *exchange) Read(p []byte) (int, error) {
	if len(x.line) == 0 {
		line, err := x.in.ReadBytes('\n')
		if len(line) == 0 {
			x.awaitAnswers()
			return 0, err
		}
		if err != nil {
			line = append(line, '\n') // mcp-go reads whole lines only
		}
		x.asked(line)
		x.line = line
	}
	n := copy(p, x.line)
	x.line = x.line[n:]
	return n, nil
}

// asked notes a request. An open subscription is one that is never answered.
func (x *exchange) asked(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.ID == nil || m.Method == "" ||
		m.Method == string(mcp.MethodSubscriptionsListen) || strings.HasPrefix(m.Method, "notifications/") {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unanswered[fmt.Sprint(m.ID)]++
}

// Write implements io.Writer. It is called with one whole message.
func (x *exchange) Write(p []byte) (int, error) {
	n, err := x.out.Write(p)
	var m message
	if json.Unmarshal(p, &m) != nil || m.Method != "" {
		return n, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	id := fmt.Sprint(m.ID)
	if x.unanswered[id]--; x.unanswered[id] <= 0 {
		delete(x.unanswered, id)
	}
	x.finish()
	return n, err
}

// awaitAnswers waits until everything is answered, as long as there may be answers.
func (x *exchange) awaitAnswers() {
	x.mu.Lock()
	x.ended = true
	x.finish()
	x.mu.Unlock()
	select {
	case <-x.done:
	case <-x.serving:
	}
}

// finish closes done when it is time to. x.mu is held.
func (x *exchange) finish() {
	if x.ended && len(x.unanswered) == 0 {
		select {
		case <-x.done:
		default:
			close(x.done)
		}
	}
}
