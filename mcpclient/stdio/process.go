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

// process is a running server and the tree of processes below it.
type process struct {
	exited chan struct{} // closed when the process itself has ended
	cause  error         // how, set before ended is closed
	ended  chan struct{} // closed when what it left behind was killed, too

	mu     sync.Mutex // so that nothing is signalled once its id may belong to another process
	tree   tree       // how to reach the whole tree on this system
	buried bool
}

// terminateTree asks the process and what it started to end.
func (p *process) terminateTree() { p.toTree(tree.terminate) }

// killTree ends the process and what it started.
func (p *process) killTree() { p.toTree(tree.kill) }

func (p *process) toTree(do func(tree)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.buried {
		do(p.tree)
	}
}

// bury kills what a process that has ended left behind.
func (p *process) bury() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.kill()
	p.tree.release()
	p.buried = true
}

// pipes are our ends.
type pipes struct {
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser
}

func (p pipes) close() {
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
}

// launch starts the process.
func launch(config Config) (*process, pipes, error) {
	cmd := exec.Command(config.Command, config.Args...)
	cmd.Env, cmd.Dir = config.Env, config.Dir
	mark := "ALOUD_SERVER=" + rand.Text()
	cmd.Env = append(slices.Clone(config.Env), mark)
	cmd.SysProcAttr = attributes()

	var pipes pipes
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	stderr, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, pipes, err
	}
	pipes.stdin, pipes.stdout, pipes.stderr = stdin, stdout, stderr

	p := &process{exited: make(chan struct{}), ended: make(chan struct{})}
	err := cmd.Start()
	if err == nil {
		if p.tree, err = grow(cmd.Process, mark); err != nil {
			_ = cmd.Process.Kill()
			_, _ = cmd.Process.Wait()
		}
	}
	if err != nil {
		pipes.close()
		return nil, pipes, cannotStart(config, err)
	}
	go func() {
		// Not cmd.Wait, which waits for the pipes as well: a child of the server may hold them open for ever.
		state, err := cmd.Process.Wait()
		close(p.exited)
		p.bury()
		p.cause = causeOfEnd(state, err)
		close(p.ended)
	}()
	return p, pipes, nil
}

func causeOfEnd(state *os.ProcessState, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("ended, nobody knows how: %w", err)
	case state.Exited():
		return fmt.Errorf("exited with status %d", state.ExitCode())
	default:
		return fmt.Errorf("was ended by %s", state) // "signal: killed"
	}
}

// cannotStart says why a command does not start. The error matches the cause, by which callers judge whether to try again.
func cannotStart(config Config, err error) error {
	text := ""
	switch {
	case errors.Is(err, exec.ErrNotFound):
		text = fmt.Sprintf("the command %q is not installed, or not in PATH", config.Command)
	case config.Dir != "" && errors.Is(err, fs.ErrNotExist) && !isFolder(config.Dir):
		text = fmt.Sprintf("its folder %q does not exist", config.Dir)
	case errors.Is(err, fs.ErrNotExist):
		text = fmt.Sprintf("the command %q does not exist", config.Command)
	case errors.Is(err, fs.ErrPermission):
		text = fmt.Sprintf("the command %q may not be executed", config.Command)
	default:
		return fmt.Errorf("the command %q does not start: %w", config.Command, err)
	}
	return &startError{text, err}
}

type startError struct {
	text  string
	cause error
}

func (e *startError) Error() string { return e.text }
func (e *startError) Unwrap() error { return e.cause }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
