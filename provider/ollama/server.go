package ollama

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	program   = "ollama"
	askEvery  = 50 * time.Millisecond // how often a starting server is asked whether it is ready
	stopGrace = 3 * time.Second       // how long it may take to stop before it is killed
)

// Server is an `ollama serve` that you asked aloud to start. The zero value has not been started. Safe for concurrent
// use.
type Server struct {
	mu     sync.Mutex // held while the server starts, so that Close waits for it
	stop   func()     // nil: none runs
	closed bool
}

// Start starts the installed Ollama at host, which must be on this machine, and waits until it answers. If ctx ends
// before that, it is stopped again. One that was started before is stopped first. The caller calls Close, after which
// nothing is started any more.
func (s *Server) Start(ctx context.Context, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return context.Canceled
	}
	s.end()
	client, err := New(host)
	if err != nil {
		return err
	}
	if !client.Local() {
		return fmt.Errorf("aloud can start Ollama on this machine only, not at %q", client.Address())
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return &provider.Error{Kind: provider.KindUnavailable, Err: err,
			Text: fmt.Sprintf("Ollama is not installed: there is no program %q in the PATH", program), Hint: hintInstall}
	}
	// A second server would end at once, and the first would seem to be ours.
	listener, err := net.Listen("tcp", client.Base.Host)
	if err != nil {
		return &provider.Error{Err: err, Text: fmt.Sprintf("another program uses %q already", client.Base.Host), Hint: "stop it, or set another host"}
	}
	listener.Close()
	running, cancel := context.WithCancel(context.Background()) //nolint:contextcheck // it outlives ctx, and ends with Close
	var words tail
	cmd := exec.CommandContext(running, path, "serve")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+client.Base.Host)
	cmd.Stderr = &words
	cmd.Cancel = func() error { return terminate(cmd) }
	cmd.WaitDelay = stopGrace
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		cancel()
		return fmt.Errorf("%q does not start: %w", path, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its last words tell how it ended
		close(ended)
	}()
	s.stop = func() {
		cancel()
		<-ended
		killRest(cmd)
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		if _, err := client.Version(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			s.end()
			return ctx.Err()
		case <-ended:
			s.end()
			return &provider.Error{Kind: provider.KindUnavailable, Text: "ollama serve ended at once: " + client.Said(string(words)),
				Hint: "start it by hand to see all it says: ollama serve"}
		case <-tick.C:
		}
	}
}

// Close stops the server with its children and waits for that, also for a Start that has not returned: end its ctx
// first. It may be called more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.end()
	return nil
}

func (s *Server) end() {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// tail keeps the end of what is written to it.
type tail []byte

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 300
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(p), nil
}
