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
	"github.com/aloudchat/aloud/provider/complaint"
)

const (
	program   = "ollama"
	askEvery  = 50 * time.Millisecond // how often a starting server is asked whether it is ready
	stopGrace = 3 * time.Second       // how long it may take to stop before it is killed
)

// Server is an `ollama serve` that a person asked aloud to start. The zero value is one that has not been started. Safe for concurrent use.
type Server struct {
	mu      sync.Mutex // held while the server starts, so that Close waits for it
	process *process   // nil: none
	closed  bool
}

// Start starts the installed Ollama at host, which must be on this machine, and waits until it answers. When ctx ends before that, it is
// stopped again. One that was started before is stopped first. The caller calls Close, after which nothing is started any more.
func (s *Server) Start(ctx context.Context, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return context.Canceled
	}
	if err := s.stop(); err != nil {
		return err
	}
	client, err := New(host)
	if err != nil {
		return err
	}
	s.process, err = start(client)
	if err != nil {
		return err
	}
	if err := s.process.ready(ctx, client); err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}

// Close stops the server with its children and waits for that, also for a Start that has not returned: end its ctx first.
// It may be called more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.stop()
}

func (s *Server) stop() error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process = nil
	return p.stop()
}

// process is one run of the program.
type process struct {
	cmd    *exec.Cmd
	stderr tail
	ended  chan struct{} // closed when it is gone
}

// start runs `ollama serve` where client will find it.
func start(client *Client) (*process, error) {
	if !client.Local() {
		return nil, fmt.Errorf("aloud can start Ollama on this machine only, not at %q", client.Address())
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, &provider.Error{Kind: provider.KindUnavailable, Err: err,
			Text: fmt.Sprintf("Ollama is not installed: there is no program %q in the PATH", program), Hint: hintInstall}
	}
	if err := portFree(client.base); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, "serve"), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+client.base.Host)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = stopGrace // a child that keeps stderr open must not hold up the end
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%q does not start: %w", path, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is told by its last words
		close(p.ended)
	}()
	return p, nil
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
func (p *process) ready(ctx context.Context, client *Client) error {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		if _, err := client.Version(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ended:
			return p.lastWords()
		case <-tick.C:
		}
	}
}

func (p *process) lastWords() error {
	text := "ollama serve ended at once"
	if words := p.stderr.String(); words != "" {
		text += ": " + complaint.Line(words)
	}
	return &provider.Error{Kind: provider.KindUnavailable, Text: text, Hint: "start it by hand to see all it says: ollama serve"}
}

// stop ends the program with its children and waits for that.
func (p *process) stop() error {
	_ = terminate(p.cmd) // it may be gone already
	select {
	case <-p.ended:
	case <-time.After(stopGrace):
	}
	err := kill(p.cmd) // also for children that outlived it
	<-p.ended
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
