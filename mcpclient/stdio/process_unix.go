//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// tree is a process group: the server leads a session of its own, which keeps it from our terminal too,
// and what it starts belongs to its group unless it takes pains to leave.
type tree struct{ group int }

func grow(p *os.Process) (tree, error) { return tree{p.Pid}, nil }

func (tree) release() {}

func (t tree) terminate() { _ = syscall.Kill(-t.group, syscall.SIGTERM) }

func (t tree) kill() { _ = syscall.Kill(-t.group, syscall.SIGKILL) }
