//go:build unix

package builtin

import "syscall"

// nonblocking makes opening a pipe return at once.
const nonblocking = syscall.O_NONBLOCK
