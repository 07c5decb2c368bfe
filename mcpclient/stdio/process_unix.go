//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// tree is a process group. The server gets its own session, without our terminal. The mark finds descendants that
// left the group.
type tree struct {
	group int
	mark  string // an environment variable
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
