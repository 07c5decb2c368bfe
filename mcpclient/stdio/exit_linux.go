package stdio

import "golang.org/x/sys/unix"

// awaitExit waits until a child of ours has ended, and does not reap it.
func awaitExit(pid int) error {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return err
		}
	}
}
