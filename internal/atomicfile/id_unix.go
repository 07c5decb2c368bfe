//go:build unix

package atomicfile

import (
	"fmt"
	"os"
	"syscall"
)

// ID returns an identifier of a file, which is the same for all its hard links, and the number of them.
func ID(file *os.File) (id string, links int, err error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &stat); err != nil {
		return "", 0, os.NewSyscallError("fstat", err)
	}
	return fmt.Sprint(stat.Dev, stat.Ino), int(stat.Nlink), nil
}

// setOwner gives a draft the owner of another file, and reports whether it has it.
func setOwner(draft, file *os.File) bool {
	var want, got syscall.Stat_t
	if syscall.Fstat(int(file.Fd()), &want) != nil {
		return false
	}
	_ = draft.Chown(int(want.Uid), int(want.Gid)) // not permitted for other owners, which got shows
	return syscall.Fstat(int(draft.Fd()), &got) == nil && got.Uid == want.Uid && got.Gid == want.Gid
}

// patiently calls do. Only Windows refuses to open or replace a file that is in use.
func patiently(do func() error) error { return do() }
