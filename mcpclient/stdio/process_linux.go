package stdio

import "syscall"

// attributes: when we are killed without a chance to clean up, the kernel kills the server. Its children are not covered by that;
// they see the end of their standard input, upon which servers exit.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
