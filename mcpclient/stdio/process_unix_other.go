//go:build unix && !linux

package stdio

import "syscall"

// attributes: when we are killed without a chance to clean up, the server sees the end of its standard input, upon which servers exit.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
