//go:build unix

package stdio

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a shell that kills a process group, and what left the group if it can, when aloud ends without dismissing it: killed, crashed, out of
// memory. It waits for a word on a pipe that the system closes with aloud. A server would see the end of its own pipe, too, but may ignore it.
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

// guardGroup returns nil on a system without a shell: the guard is for the worst case only.
func guardGroup(group int, mark string) *guard {
	shell := exec.Command("/bin/sh", "-c", watching, "aloud-guard", strconv.Itoa(group), mark)
	shell.Env, shell.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals to our group or terminal are not for it
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

// dismiss ends the guard. The group is gone, and its number may be reused soon.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "over\n")
	_ = g.pipe.Close()
	_ = g.shell.Wait()
}
