//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// tree is a process group: the server leads a session of its own, which keeps it from our terminal too,
// and what it starts belongs to its group unless it takes pains to leave.
type tree struct {
	group int
	guard *guard
}

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func grow(p *os.Process) (tree, error) { return tree{p.Pid, guardGroup(p.Pid)}, nil }

func (t tree) release() { t.guard.dismiss() }

func (t tree) terminate() { _ = syscall.Kill(-t.group, syscall.SIGTERM) }

func (t tree) kill() { _ = syscall.Kill(-t.group, syscall.SIGKILL) }
