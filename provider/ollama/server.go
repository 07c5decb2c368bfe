package ollama

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/provider"
)

const (
	program   = "ollama"
	askEvery  = 50 * time.Millisecond // how often to check whether a starting server is ready
	stopGrace = 3 * time.Second       // how long to wait before killing it
)

// Server is an "ollama serve" that aloud has started. The zero value has not been started. It is safe for concurrent
// use.
type Server struct {
	mu     sync.Mutex // held while the server starts, so that Close waits
	stop   func()     // nil if no server runs
	closed bool
}

// Start starts the installed Ollama at an address on this machine, and waits until it is ready. If ctx ends first, the
// server is stopped. A server from an earlier Start is stopped first. The caller must call Close. After Close it
// returns context.Canceled.
func (s *Server) Start(ctx context.Context, address string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return context.Canceled
	}
	s.end()
	client, err := New(address)
	if err != nil {
		return err
	}
	if !client.Local() {
		return fmt.Errorf("cannot start Ollama at %q: it is another machine", client.Address())
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return &provider.Error{Kind: provider.KindUnavailable, Err: err,
			Text: fmt.Sprintf("Ollama is not installed: no program %q in the PATH", program), Hint: hintInstall}
	}
	// Otherwise the new server would exit and the running one would pass for it.
	host := net.JoinHostPort(client.Base.Hostname(), netaddr.Port(client.Base))
	listener, err := net.Listen("tcp", host)
	if err != nil {
		text := fmt.Sprintf("another program uses %q", host)
		return &provider.Error{Err: err, Text: text, Hint: "stop it, or set another host"}
	}
	listener.Close()
	running, cancel := context.WithCancel(context.Background()) //nolint:contextcheck // it outlives ctx until Close
	var stderr tail
	cmd := exec.CommandContext(running, path, "serve")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+host)
	cmd.Stderr = &stderr
	cmd.Cancel = func() error { return terminate(cmd) }
	cmd.WaitDelay = stopGrace
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		cancel()
		return fmt.Errorf("cannot start %q: %w", path, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // standard error has the reason
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
			return &provider.Error{Kind: provider.KindUnavailable, Hint: "to see all its output, run: ollama serve",
				Text: "ollama serve exited while starting: " + client.Safe(string(stderr))}
		case <-tick.C:
		}
	}
}

// Close stops the server and its child processes, and waits for them. It also waits for a Start in progress, whose ctx
// should end first. It may be called more than once.
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

// tail is a writer that keeps the last bytes.
type tail []byte

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 300
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(p), nil
}
