//go:build unix

package stdio

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a shell that kills a process group, and where it can what left the group, when we end without having dismissed it: killed, crashed, out of memory. It waits for a word
// on a pipe that the system closes with us. A server would see the end of its own pipe, too, but need not care, nor need its children.
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
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what is sent to our group or terminal is not meant for it
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

// dismiss ends the guard. The group is gone, and its number may be another one's soon.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "over\n")
	_ = g.pipe.Close()
	_ = g.shell.Wait()
}
