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
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser

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

// closePipes ends what reads from the process and writes to it.
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
		// Not cmd.Wait, which waits for the pipes as well: a child of the server may hold them open for ever.
		state, err := cmd.Process.Wait()
		close(p.exited)
		p.bury()
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
		return fmt.Errorf("was ended by %s", state) // "signal: killed"
	}
}

// cannotStart says why a command does not start. The error matches err, by which callers judge whether to try again.
func cannotStart(config Config, err error) error {
	text := fmt.Sprintf("the command %q does not exist", config.Command)
	_, noDir := os.Stat(config.Dir)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		text = fmt.Sprintf("the command %q is not installed, or not in PATH", config.Command)
	case config.Dir != "" && noDir != nil:
		text = fmt.Sprintf("its folder %q does not exist", config.Dir)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the command %q does not start: %w", config.Command, err)
	}
	return &because{text, []error{err}}
}
