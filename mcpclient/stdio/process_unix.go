//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// tree is a process group: the server leads a session of its own, which also keeps it from our terminal. What it starts belongs to its group unless
// it leaves on purpose; the mark finds that, too.
type tree struct {
	group int
	mark  string // an entry of the environment
	guard *guard
}

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func grow(p *os.Process, mark string) (tree, error) {
	return tree{p.Pid, mark, guardGroup(p.Pid, mark)}, nil
}

func (t tree) release() { t.guard.dismiss() }

func (t tree) terminate() { _ = syscall.Kill(-t.group, syscall.SIGTERM) }

func (t tree) kill() {
	_ = syscall.Kill(-t.group, syscall.SIGKILL)
	killMarked(t.mark)
}
