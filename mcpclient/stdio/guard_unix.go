//go:build unix

package stdio

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a shell that kills a process group, and on Linux its descendants outside the group, if aloud ends without
// dismissing it, for example because it was killed. It waits for a word on a pipe that the system closes when aloud
// ends.
type guard struct {
	shell *exec.Cmd
	pipe  io.WriteCloser
}

const watching = `read -r word && exit
kill -s KILL -- "-$1"
for marked in $(grep -lsaF -e "$2" /proc/[0-9]*/environ); do
  marked=${marked#/proc/}
  kill -s KILL "${marked%/environ}"
done`

// guardGroup returns nil if it cannot start the guard, which is only a precaution.
func guardGroup(group int, mark string) *guard {
	shell := exec.Command("/bin/sh", "-c", watching, "aloud-guard", strconv.Itoa(group), mark)
	shell.Env, shell.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that it gets no signals of our terminal
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil
	}
	if shell.Start() != nil {
		_ = pipe.Close()
		return nil
	}
	return &guard{shell, pipe}
}

// dismiss ends the guard. It must be called when the group is gone, because its number may be reused.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "over\n")
	_ = g.pipe.Close()
	_ = g.shell.Wait()
}
