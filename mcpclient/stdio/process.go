package stdio

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"sync"
)

// process is a server process with its descendants.
type process struct {
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser

	exited chan struct{} // closed when the process itself has exited
	cause  error         // how it exited; set before ended is closed
	ended  chan struct{} // closed when its descendants were killed too

	mu       sync.Mutex // so that no process gets a signal after its id may be reused
	tree     tree
	released bool
}

// terminateTree asks the process and its descendants to exit.
func (p *process) terminateTree() { p.toTree(tree.terminate) }

// killTree kills the process and its descendants.
func (p *process) killTree() { p.toTree(tree.kill) }

func (p *process) toTree(do func(tree)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.released {
		do(p.tree)
	}
}

// release kills the descendants of a process that has exited.
func (p *process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.kill()
	p.tree.release()
	p.released = true
}

// closePipes ends the goroutines that read from the process and write to it.
func (p *process) closePipes() {
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
}

// launch starts the process.
func launch(config Config) (*process, error) {
	cmd := exec.Command(config.Command, config.Args...)
	mark := "ALOUD_SERVER=" + rand.Text()
	cmd.Env, cmd.Dir = append(slices.Clone(config.Env), mark), config.Dir
	cmd.SysProcAttr = attributes()

	p := &process{exited: make(chan struct{}), ended: make(chan struct{})}
	var err1, err2, err3 error
	p.stdin, err1 = cmd.StdinPipe()
	p.stdout, err2 = cmd.StdoutPipe()
	p.stderr, err3 = cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	err := cmd.Start()
	if err == nil {
		if p.tree, err = grow(cmd.Process, mark); err != nil {
			_ = cmd.Process.Kill()
			_, _ = cmd.Process.Wait()
		}
	}
	if err != nil {
		p.closePipes()
		return nil, cannotStart(config, err)
	}
	go func() {
		// cmd.Wait would also wait for the pipes, which a descendant may hold open.
		state, err := cmd.Process.Wait()
		close(p.exited)
		p.release()
		p.cause = causeOfEnd(state, err)
		close(p.ended)
	}()
	return p, nil
}

func causeOfEnd(state *os.ProcessState, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("ended: %w", err)
	case state.Exited():
		return fmt.Errorf("exited with status %d", state.ExitCode())
	default:
		return fmt.Errorf("ended by %s", state) // "signal: killed"
	}
}

// cannotStart returns why a command does not start. The error matches err.
func cannotStart(config Config, err error) error {
	text := fmt.Sprintf("cannot start %q: %v", config.Command, err)
	_, noDir := os.Stat(config.Dir)
	switch {
	case config.Dir != "" && noDir != nil:
		text = fmt.Sprintf("folder %q does not exist", config.Dir)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		text = fmt.Sprintf("command %q not found", config.Command)
	}
	return &startError{text, err}
}

// startError is the error of a command that does not start, with its own text.
type startError struct {
	text string
	err  error
}

func (e *startError) Error() string { return e.text }
func (e *startError) Unwrap() error { return e.err }
