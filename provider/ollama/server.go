package ollama

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	askEvery  = 50 * time.Millisecond // how often a starting server is asked whether it is ready
	stopGrace = 3 * time.Second       // how long it may take to stop before it is killed
)

// Server is an `ollama serve` that a person asked aloud to start.
type Server struct {
	cmd    *exec.Cmd
	stderr tail
	ended  chan struct{} // closed when the process is gone
	close  sync.Once
}

// StartServer starts the installed Ollama at host, which must be on this machine, and waits until it answers. When ctx ends before that,
// the server is stopped again. The caller calls Close.
func StartServer(ctx context.Context, host string) (*Server, error) {
	client, err := New(host)
	if err != nil {
		return nil, err
	}
	if !client.Local() {
		return nil, fmt.Errorf("aloud can start Ollama on this machine only, not at %q", client.Address())
	}
	program, err := exec.LookPath("ollama")
	if err != nil {
		return nil, &provider.Error{Kind: provider.KindUnavailable, Err: err,
			Text: "Ollama is not installed: there is no program \"ollama\" in the PATH", Hint: "install it from https://ollama.com/download"}
	}
	if err := portFree(client.base); err != nil {
		return nil, err
	}
	s := &Server{cmd: exec.Command(program, "serve"), ended: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+client.base.Host)
	s.cmd.Stderr = &s.stderr
	s.cmd.WaitDelay = stopGrace // a child that keeps stderr open must not hold up the end
	ownGroup(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%q does not start: %w", program, err)
	}
	go func() {
		_ = s.cmd.Wait() // how it ended is told by its last words
		close(s.ended)
	}()
	if err := s.ready(ctx, client); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// portFree refuses to start a second server where one listens already: it would end at once, and the first would seem to be ours.
func portFree(base *url.URL) error {
	listener, err := net.Listen("tcp", base.Host)
	if err != nil {
		return &provider.Error{Err: err, Text: fmt.Sprintf("another program uses %q already", base.Host), Hint: "stop it, or set another host"}
	}
	return listener.Close()
}

// ready waits until the server answers or has ended.
func (s *Server) ready(ctx context.Context, client *Client) error {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		if _, err := client.Version(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ended:
			return s.lastWords()
		case <-tick.C:
		}
	}
}

func (s *Server) lastWords() error {
	text := "ollama serve ended at once"
	if words := s.stderr.String(); words != "" {
		text += ": " + said(words)
	}
	return &provider.Error{Kind: provider.KindUnavailable, Text: text, Hint: "start it by hand to see all it says: ollama serve"}
}

// Close stops the server with its children and waits for that. It may be called more than once, and on nil.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	var err error
	s.close.Do(func() { err = s.stop() })
	return err
}

func (s *Server) stop() error {
	_ = terminate(s.cmd) // it may be gone already
	select {
	case <-s.ended:
	case <-time.After(stopGrace):
	}
	err := kill(s.cmd) // also for children that outlived it
	<-s.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// tail is a writer that keeps the last lines written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text string
}

const (
	tailBytes = 4 << 10
	tailLines = 3
)

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(p)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

// String is the last lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(t.text), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
